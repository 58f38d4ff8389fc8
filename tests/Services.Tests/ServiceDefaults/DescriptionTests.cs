using System.Text.Json;
using DroneDelivery.Delivery;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;

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
