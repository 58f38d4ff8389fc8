using System.Text;
using System.Text.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class MessageBodyTests
{
    [Fact]
    public void A_delivery_request_is_written_as_the_contract_says()
    {
        var full = SampleRequests.Delivery("d-1");
        AssertAsTheContractSays(full);
        AssertAsTheContractSays(full with
        {
            Instructions = "Übergabe: \"<Tür> & 🚪\"",
            PickupTime = new(2030, 1, 31, 12, 0, 0, 250, TimeSpan.FromHours(-8)),
        });
        AssertAsTheContractSays(full with
        {
            DeliveryId = null,
            Deadline = null,
            Expedited = false,
            ConfirmationRequired = ConfirmationType.None,
            Instructions = null,
            PickupLocation = new() { Latitude = 0, Longitude = -0.1 },
            PackageInfo = new() { PackageId = "p", Size = PackageSize.Small, Weight = 1e-3 },
        });
    }

    [Fact]
    public void Changes_are_written_as_the_contract_says()
    {
        var place = new Location { Latitude = 47.6, Longitude = -122.3, Altitude = 5 };
        var time = new DateTimeOffset(2030, 1, 31, 12, 0, 0, TimeSpan.Zero);
        AssertAsTheContractSays(new RescheduleRequest { DeliveryId = "d-1", Deadline = time });
        AssertAsTheContractSays(new RescheduleRequest
        {
            DeliveryId = "d-1",
            PickupLocation = place,
            DropOffLocation = place,
            PickupTime = time,
        });
        AssertAsTheContractSays(new CancelRequest { DeliveryId = "d-1" });
    }

    private static void AssertAsTheContractSays<T>(T request) =>
        Assert.Equal(JsonSerializer.Serialize(request, ContractJson.Options), Encoding.UTF8.GetString(MessageBody.Of(request)));
}
