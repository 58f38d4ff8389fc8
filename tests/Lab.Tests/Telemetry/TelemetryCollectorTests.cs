using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Telemetry;

public sealed class TelemetryCollectorTests
{
    [Fact]
    public async Task Port_that_cannot_be_bound_is_reported_in_two_sentences() =>
        Assert.Matches(
            "^Port 5080 is not available: [^.]+. Choose another.$",
            (
                await Assert.ThrowsAsync<LabException>(() =>
                    LabHost
                        .Create("http://192.0.2.1:5080", maxBytes: 1) // An address that isn't local.
                        .StartOrThrowAsync("Port 5080", "Choose another.", Cancel)
                )
            ).Message
        );

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 3)] // Telemetry of another process's run.
    public async Task Only_a_collector_without_an_end_discards_old_telemetry(bool ofOthers, int kept)
    {
        using var folder = new OwnFolder();
        var clock = new ManualTimeProvider(FakeRun.Start);
        await using (
            var collector = await TelemetryCollector.StartAsync(
                folder.Path,
                0,
                clock,
                Cancel,
                ofOthers: ofOthers,
                window: TelemetryCollector.LastHour
            )
        )
        {
            using var http = Loopback.CreateClient();
            for (var i = 0; i < 3; i++)
            {
                Add(collector, clock, $"delivery-{i}");
                await http.GetByteArrayAsync(new Uri(collector.Address, TelemetryCollector.FileName), Cancel);
                clock.Advance(TimeSpan.FromMinutes(61));
            }
            Add(collector, clock, "delivery-3");
        }

        var telemetry = await RunTelemetry.LoadAsync(folder.Path, _ => { }, Cancel);
        var names = telemetry.AskAll(
            KqlQuery.Parse("customEvents | project cloud_RoleInstance"),
            DateTimeOffset.MaxValue,
            null,
            Cancel
        );
        Assert.Equal(kept + 1, names.Rows);
        Assert.Equal("delivery-3", names.Column("cloud_RoleInstance").Last());
    }

    private static void Add(TelemetryCollector collector, TimeProvider clock, string instance)
    {
        var key = collector.ConnectionString.Split(';')[0].Split('=')[1];
        var item = SentItem.Of(
            clock.GetUtcNow(),
            "EventData",
            new { name = "Sample" },
            operation: "",
            parent: null,
            "delivery",
            instance,
            key
        );
        Assert.Empty(collector.Store.Ingest(Encoding.UTF8.GetBytes(item)).Errors);
    }
}
