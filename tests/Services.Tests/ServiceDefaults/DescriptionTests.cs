using System.Text.Json;
using DroneDelivery.Delivery;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;
using Microsoft.AspNetCore.OpenApi;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class DescriptionTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    [Fact]
    public async Task Package_describes_its_routes() =>
        await AssertDescribedAsync<PackageStore>("package", "/api/packages/{id}", "PackageSize", ["Small", "Medium", "Large"]);

    [Fact]
    public async Task DroneScheduler_describes_its_routes() =>
        await AssertDescribedAsync<AssignmentStore>(
            "dronescheduler", "/api/dronedeliveries/{id}", "PackageSize", ["Small", "Medium", "Large"]);

    [Fact]
    public async Task Delivery_describes_its_routes() =>
        await AssertDescribedAsync<DeliveryStore>(
            "delivery", "/api/deliveries/{id}/status", "ConfirmationType", ["None", "FingerPrint", "Picture", "Voice"]);

    [Fact]
    public async Task The_document_is_made_once_for_all_who_ask()
    {
        var made = 0;
        await using var service = ServiceHost<PackageStore>.Start(_folder.SqliteSettings, add: services =>
            services.Configure<OpenApiOptions>("v1", options => options.AddDocumentTransformer((_, _, _) =>
            {
                Interlocked.Increment(ref made);
                return Task.CompletedTask;
            })));
        using var http = service.CreateClient();

        var answers = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => http.SendAsync(HttpMethod.Get, "/openapi/v1.json")));

        Assert.Equal(1, made);
        Assert.All(answers, answer => Assert.Equal("application/json; charset=utf-8", answer.Content.Headers.ContentType?.ToString()));
    }

    private async Task AssertDescribedAsync<TService>(string title, string route, string type, string[] names) where TService : class
    {
        await using var service = ServiceHost<TService>.Start(_folder.SqliteSettings);
        using var http = service.CreateClient();

        var document = await http.GetAsync<JsonElement>("/openapi/v1.json");

        Assert.Equal(title, document.GetProperty("info").GetProperty("title").GetString());
        Assert.True(document.GetProperty("paths").TryGetProperty(route, out _), $"{route} is not described.");
        var values = document.GetProperty("components").GetProperty("schemas").GetProperty(type).GetProperty("enum");
        Assert.Equal(names, values.EnumerateArray().Select(value => value.GetString()));
    }

    public void Dispose() => _folder.Dispose();
}
