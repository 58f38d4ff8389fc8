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
    public async Task Delivery_passes_through_all_services_of_the_app_host()
    {
        Assert.SkipUnless(RedisFixture.IsInstalled, RedisFixture.HowToInstall);
        using var untilStarted = new CancellationTokenSource(TimeSpan.FromMinutes(10));
        var builder = await DistributedApplicationTestingBuilder.CreateAsync<Projects.AppHost>(untilStarted.Token);
        await using var application = await builder.BuildAsync(untilStarted.Token);
        await application.StartAsync(untilStarted.Token);
        foreach (var service in new[] { "package", "dronescheduler", "delivery", "workflow", "ingestion" })
            await application.ResourceNotifications.WaitForResourceHealthyAsync(service, untilStarted.Token);
        using var ingestion = application.CreateHttpClient("ingestion");

        var location = await ScheduleAsync(ingestion, NewRequest(), untilStarted.Token);

        var stage = await StageAtAsync(ingestion, location, untilStarted.Token);
        for (; stage == "Pending"; stage = await StageAtAsync(ingestion, location, untilStarted.Token))
            await Task.Delay(TimeSpan.FromMilliseconds(100), untilStarted.Token);
        Assert.Equal("Created", stage);
    }

    /// <summary>
    /// Retries requests that return 503 as instructed: while all processes start, the broker may be too slow.
    /// </summary>
    private static async Task<Uri> ScheduleAsync(
        HttpClient ingestion,
        object request,
        CancellationToken cancellationToken
    )
    {
        while (true)
        {
            using var answer = await ingestion.PostAsJsonAsync("api/deliveryrequests", request, cancellationToken);
            if (answer.StatusCode != HttpStatusCode.ServiceUnavailable)
            {
                Assert.Equal(HttpStatusCode.Accepted, answer.StatusCode);
                return answer.Headers.Location!;
            }
            await Task.Delay(answer.Headers.RetryAfter!.Delta!.Value, cancellationToken);
        }
    }

    /// <summary>
    /// Returns a request with a unique id, because the services store the deliveries of earlier runs.
    /// </summary>
    private static object NewRequest() =>
        new
        {
            DeliveryId = $"delivery-{Guid.NewGuid()}",
            OwnerId = "owner-1",
            PickupLocation = new { Latitude = 47.6423, Longitude = -122.1391 },
            DropOffLocation = new { Latitude = 47.6205, Longitude = -122.1812 },
            PickupTime = TimeProvider.System.GetUtcNow().AddHours(1),
            PackageInfo = new
            {
                PackageId = $"package-{Guid.NewGuid()}",
                Size = "Small",
                Weight = 1.5,
            },
        };

    private static async Task<string?> StageAtAsync(HttpClient http, Uri location, CancellationToken cancellationToken)
    {
        var status = await http.GetFromJsonAsync<JsonElement>(location, cancellationToken);
        return status.GetProperty("stage").GetString();
    }
}
