namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>A steady load has a steady rate, regardless of when samples were taken.</summary>
public sealed class RateTests
{
    private static readonly DateTimeOffset Start = new(2030, 1, 1, 0, 0, 2, TimeSpan.Zero);

    [Theory]
    [InlineData("incoming-outgoing", "incoming")]
    [InlineData("incoming-outgoing", "completed")]
    [InlineData("right-now", "incoming")]
    public void Steady_load_of_80_per_second_is_shown_as_80(string file, string column)
    {
        var rates = Ask(Steady(), file).Column(column).OfType<double>().ToList();

        Assert.NotEmpty(rates);
        Assert.All(rates, rate => Assert.InRange(rate, 78, 82));
    }

    [Fact]
    public void Delivery_in_lots_changes_the_rate_by_at_most_one_lot() =>
        Assert.All(Ask(Steady(), "incoming-outgoing").Column("outgoing").OfType<double>(), rate =>
            Assert.InRange(rate, 68, 92)
        );

    // 20 messages are held and 10 per second settled. The stage starts and ends within a bin.
    [Fact]
    public void Wait_at_a_receiver_is_correct_for_partial_bins()
    {
        var store = new TelemetryStore();
        var receivers = store.Define(SampleTables.Receivers);
        for (var second = 0; second < 14; second++)
            receivers.Append(Start.AddSeconds(second + 0.5), "q", "c", "l", 0, 20, 20);
        for (var n = 0; n < 140; n++)
        {
            var settled = Items.Dependency(
                "ServiceBusReceiver.Complete",
                time: Start.AddSeconds((n + 0.5) / 10),
                type: "servicebus"
            );
            Assert.Empty(store.Ingest(Items.Body(settled)).Errors);
        }

        var waits = Ask(store.Snapshot(), "buffer-wait", seconds: 14).Column("seconds").OfType<double>().ToList();

        Assert.Equal(4, waits.Count);
        Assert.All(waits, wait => Assert.InRange(wait, 1.9, 2.1));
    }

    private static QueryResult Ask(TelemetrySnapshot tables, string file, double seconds = 60)
    {
        var bounds = new Dictionary<string, object> { ["start"] = Start, ["end"] = Start.AddSeconds(seconds) };
        return KqlQuery
            .Parse(QueryTexts.All[file])
            .Run(tables, new() { Let = bounds }, cancellationToken: TestContext.Current.CancellationToken);
    }

    // One sample about every second, with the jitter of a busy machine.
    private static TelemetrySnapshot Steady()
    {
        var (store, random) = (new TelemetryStore(), new Random(1));
        var queues = store.Define(SampleTables.Queues);
        for (var at = 0.1; at < 60; at += 0.7 + random.NextDouble() * 0.6)
        {
            var incoming = 1_000 + (long)(80 * at);
            queues.Append(
                Start.AddSeconds(at),
                "delivery-requests",
                incoming,
                incoming / 100 * 100,
                incoming,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0
            );
        }

        return store.Snapshot();
    }
}
