using System.Globalization;
using System.Net.Http.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Ingestion;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Ingestion;

/// <summary>Every message says when it was accepted, and none as another.</summary>
public sealed class AcceptanceTests
{
    [Fact]
    public async Task Reschedules_of_a_delivery_are_stamped_in_the_order_in_which_they_were_accepted()
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();
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
        Assert.InRange(TimeProvider.System.GetUtcNow() - stamps[0], TimeSpan.Zero, TimeSpan.FromMinutes(5));
    }

    [Fact]
    public void A_clock_that_stands_still_or_goes_back_gives_stamps_that_go_on()
    {
        var time = new ManualTimeProvider(new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero));
        var clock = new AcceptanceClock(time);

        var stamps = new[] { clock.Next(), clock.Next(), clock.Next() };

        Assert.Equal(time.GetUtcNow(), stamps[0]);
        Assert.Equal(stamps.Distinct().Order(), stamps);
    }
}
