using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Aspire.Hosting.Testing;
using DroneDelivery.Testing;

namespace DroneDelivery.AppHost.Tests;

[Trait("tier", "slow")]
public sealed class StartApplicationTests
{
    [Fact]
    public async Task A_delivery_passes_through_all_services_that_the_app_host_has_started()
    {
        Assert.SkipUnless(RedisFixture.IsInstalled, RedisFixture.HowToInstall);
        using var untilStarted = new CancellationTokenSource(TimeSpan.FromMinutes(10));
        var builder = await DistributedApplicationTestingBuilder.CreateAsync<Projects.AppHost>(untilStarted.Token);
        await using var application = await builder.BuildAsync(untilStarted.Token);
        await application.StartAsync(untilStarted.Token);
        foreach (var service in new[] { "package", "dronescheduler", "delivery", "workflow", "ingestion" })
            await application.ResourceNotifications.WaitForResourceHealthyAsync(service, untilStarted.Token);
        using var ingestion = application.CreateHttpClient("ingestion");

        var location = await ScheduleAsync(ingestion, untilStarted.Token);

        while (await StageAtAsync(ingestion, location, untilStarted.Token) != "Created")
            await Task.Delay(TimeSpan.FromMilliseconds(100), untilStarted.Token);
    }

    /// <summary>Repeats what is answered with 503, as its answer says: with all starting at once the broker may take too long.</summary>
    private static async Task<Uri> ScheduleAsync(HttpClient ingestion, CancellationToken cancellationToken)
    {
        while (true)
        {
            using var answer = await ingestion.PostAsJsonAsync("api/deliveryrequests", Request, cancellationToken);
            if (answer.StatusCode != HttpStatusCode.ServiceUnavailable)
            {
                Assert.Equal(HttpStatusCode.Accepted, answer.StatusCode);
                return answer.Headers.Location!;
            }
            await Task.Delay(answer.Headers.RetryAfter!.Delta!.Value, cancellationToken);
        }
    }

    private static object Request => new
    {
        DeliveryId = "delivery-1",
        OwnerId = "owner-1",
        PickupLocation = new { Latitude = 47.6423, Longitude = -122.1391 },
        DropOffLocation = new { Latitude = 47.6205, Longitude = -122.1812 },
        PickupTime = TimeProvider.System.GetUtcNow().AddHours(1),
        PackageInfo = new { PackageId = "package-1", Size = "Small", Weight = 1.5 },
    };

    private static async Task<string?> StageAtAsync(HttpClient http, Uri location, CancellationToken cancellationToken)
    {
        var status = await http.GetFromJsonAsync<JsonElement>(location, cancellationToken);
        return status.GetProperty("stage").GetString();
    }
}
