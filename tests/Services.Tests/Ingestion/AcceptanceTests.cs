using System.Globalization;
using System.Net.Http.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Ingestion;

/// <summary>Every message says when it was accepted, and none as another.</summary>
public sealed class AcceptanceTests
{
    [Fact]
    public async Task Reschedules_of_a_delivery_are_stamped_in_the_order_in_which_they_were_accepted_although_the_clock_stands_still()
    {
        var time = new ManualTimeProvider(TimeProvider.System.GetUtcNow());
        await using var ingestion = await IngestionUnderTest.StartAsync(time: time);
        var stamps = new List<DateTimeOffset>();
        for (var i = 0; i < 3; i++)
        {
            using var response = await ingestion.Http.PatchAsJsonAsync(
                "/api/deliveryrequests/order-1",
                new RescheduleRequest { Deadline = new(2030, 2, 1, 8, i, 0, TimeSpan.Zero) },
                ContractJson.Options,
                TestContext.Current.CancellationToken);
            var stamp = (string)(await ingestion.Queue.TakeAsync()).ApplicationProperties["acceptedAt"];
            stamps.Add(DateTimeOffset.ParseExact(stamp, "O", CultureInfo.InvariantCulture));
        }

        Assert.Equal(stamps.Distinct().Order(), stamps);
        Assert.Equal(time.GetUtcNow(), stamps[0]);
    }
}
