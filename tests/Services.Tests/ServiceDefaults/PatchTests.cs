using System.Text.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class PatchTests
{
    [Theory]
    [InlineData(typeof(PackagePatch), "tag")]
    [InlineData(typeof(PackagePatch), "weight")]
    [InlineData(typeof(DeliveryReschedule), "droneId")]
    [InlineData(typeof(DeliveryReschedule), "deadline")]
    [InlineData(typeof(DroneReschedule), "pickup")]
    [InlineData(typeof(RescheduleRequest), "pickupTime")]
    public void Property_is_absent_or_has_a_value(Type type, string member)
    {
        var failure = Assert.Throws<JsonException>(() =>
            JsonSerializer.Deserialize($$"""{ "{{member}}": null }""", type, ContractJson.Options)
        );

        Assert.Equal($"$.{member}", failure.Path);
        Assert.NotNull(JsonSerializer.Deserialize("{}", type, ContractJson.Options));
    }
}
