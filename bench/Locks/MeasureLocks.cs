using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using DroneDelivery.Bench.Broker;

namespace DroneDelivery.Bench.Locks;

/// <summary>
/// Very many locks that end together. Receivers take all messages of a queue at once, settle none, and wait with credit for their return,
/// while messages go through another queue at a rate. Figures: how late each message comes again, counted from the end of its lock to its
/// arrival at the client; and what becomes of the other queue meanwhile.
/// </summary>
internal static class MeasureLocks
{
    private const string Queue = "locks",
        Other = "other";
    private const int Holders = 4;

    // A connection has at most 65,536 unsettled messages, and each comes twice.
    private const int Most = Holders * 32_000;

    // One that came once too often would need credit.
    private const int Spare = 100;

    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    public static Command Command()
    {
        var count = new Option<int>("--count")
        {
            Description = $"locks, at most {Most}",
            DefaultValueFactory = _ => 100_000,
        };
        var bytes = new Option<int>("--bytes") { Description = "body of a message", DefaultValueFactory = _ => 100 };
        var seconds = new Option<int>("--lock-seconds") { Description = "from 5", DefaultValueFactory = _ => 8 };
        var rate = new Option<int>("--other-rate")
        {
            Description = "messages a second through the other queue; 0: as many as go through",
            DefaultValueFactory = _ => 5000,
        };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 3 };
        var command = new Command(
            "locks",
            "Very many locks that end at once: how late the messages are redelivered, and who else waits."
        )
        {
            count,
            bytes,
            seconds,
            rate,
            repetitions,
        };
        command.SetAction(
            (parsed, _) =>
                Run(
                    new Plan(
                        Math.Min(parsed.GetValue(count), Most) / Holders,
                        parsed.GetValue(bytes),
                        Math.Max(5, parsed.GetValue(seconds)),
                        parsed.GetValue(rate)
                    ),
                    parsed.GetValue(repetitions)
                )
        );
        return command;
    }

    /// <param name="Each">Locks of one holder.</param>
    /// <param name="Bytes">Of a message's body.</param>
    /// <param name="LockSeconds">The duration of a lock.</param>
    /// <param name="OtherRate">Messages a second; 0: as many as go through.</param>
    private sealed record Plan(int Each, int Bytes, int LockSeconds, int OtherRate)
    {
        public int Count => Each * Holders;
    }

    private static async Task<int> Run(Plan plan, int repetitions)
    {
        await using var broker = await BrokerUnderTest.StartLocalServiceBus(ServiceSettings.With());
        var clock = new SharedClock();
        await broker.CreateQueueAsync(Queue, $"<LockDuration>PT{plan.LockSeconds}S</LockDuration>");
        await broker.CreateQueueAsync(Other);
        var others = plan.OtherRate == 0 ? "as many as go through" : $"{plan.OtherRate:N0} messages/s";
        Console.WriteLine(
            $"{plan.Count:N0} locks of {plan.LockSeconds} s, {Holders} receivers; through the other queue {others}; "
                + $"{Environment.ProcessorCount} processors"
        );
        var isExact = true;
        var (late, share) = (new Sample(), new Sample());
        for (var repetition = 0; repetition <= repetitions; repetition++)
        {
            var result = await MeasureOnce(broker, clock, plan);
            Console.WriteLine($"{(repetition == 0 ? "warm-up" : $"{repetition, 7}")}: {result}");
            isExact &= result.IsExact;
            if (repetition == 0)
                continue;
            late.Add(result.Late[^1]);
            share.Add(result.Share);
        }
        Console.WriteLine(
            $"latest {late.Show("N1")} ms; other queue {share.Show("P1")}; each message twice: {(isExact ? "yes" : "NO")}"
        );
        return isExact ? 0 : 1;
    }

    private static async Task<Result> MeasureOnce(BrokerUnderTest broker, SharedClock clock, Plan plan)
    {
        await broker.FillAsync(Queue, BrokerCalls.MessageOf(plan.Bytes), plan.Count);
        await using var other = await OtherTraffic.StartAsync(broker, Other, plan.OtherRate);
        var (first, second) = (new Expected(plan.Count), new Expected(plan.Count));
        var holders = await Task.WhenAll(
            Enumerable.Range(0, Holders).Select(_ => LockHolder.StartAsync(broker, Queue, 2 * plan.Each + Spare, first))
        );
        foreach (var holder in holders)
            holder.Grant(plan.Each, first);
        await first.All;
        var taken = Stopwatch.GetTimestamp();
        foreach (var holder in holders)
            holder.Grant(plan.Each + Spare, second);
        await second.All;
        await Task.Delay(Pause);
        var result = Result.Of([.. holders.SelectMany(holder => holder.Arrivals)], clock, taken, other, plan.Count);
        foreach (var holder in holders)
            holder.Complete();
        while (await broker.CountAsync(Queue, "activeMessageCount") > 0)
            await Task.Delay(Pause);
        foreach (var holder in holders)
            await holder.DisposeAsync();
        return result;
    }

    /// <summary>Brings the broker's times and this process's timestamps together.</summary>
    private sealed class SharedClock
    {
        private readonly DateTimeOffset _start = TimeProvider.System.GetUtcNow();
        private readonly long _origin = Stopwatch.GetTimestamp();

        public DateTimeOffset TimeOf(long timestamp) => _start + Stopwatch.GetElapsedTime(_origin, timestamp);

        public long TimestampOf(DateTimeOffset time) =>
            _origin + (long)((time - _start).TotalSeconds * Stopwatch.Frequency);
    }

    /// <param name="Spread">Milliseconds between the first and the last end of a lock.</param>
    /// <param name="Late">Milliseconds from the end of each lock to the message's return, in their order.</param>
    /// <param name="Before">The other queue while nothing ended.</param>
    /// <param name="Meanwhile">The other queue while all ended, for a second at least.</param>
    /// <param name="IsExact">Each message came twice, and the second time as one that has failed once.</param>
    private sealed record Result(
        double Spread,
        IReadOnlyList<double> Late,
        Passed Before,
        Passed Meanwhile,
        bool IsExact
    )
    {
        public double Share => Meanwhile.Rate / Before.Rate;

        public static Result Of(
            IReadOnlyList<Arrival> arrivals,
            SharedClock clock,
            long taken,
            OtherTraffic other,
            int count
        )
        {
            var first = arrivals.Where(arrival => arrival.Failed == 0);
            var ends = first.ToDictionary(arrival => arrival.Number, arrival => arrival.LockedUntil);
            var again = arrivals.Where(arrival => arrival.Failed == 1).ToList();
            var late = again
                .Select(arrival => (clock.TimeOf(arrival.Came) - ends[arrival.Number]).TotalMilliseconds)
                .Order()
                .ToList();
            var (firstEnd, lastEnd) = (clock.TimestampOf(ends.Values.Min()), clock.TimestampOf(ends.Values.Max()));
            var second = Stopwatch.Frequency;
            return new Result(
                Stopwatch.GetElapsedTime(firstEnd, lastEnd).TotalMilliseconds,
                late,
                other.Between(taken + second, firstEnd - second / 2),
                other.Between(firstEnd, Math.Max(firstEnd + second, again.Max(arrival => arrival.Came))),
                arrivals.Count == 2 * count && again.DistinctBy(arrival => arrival.Number).Count() == count
            );
        }

        public override string ToString() =>
            string.Create(
                CultureInfo.InvariantCulture,
                $"ends within {Spread:N0} ms; late by {Late[Late.Count / 2]:N1} ms (median), {Late[(int)(0.99 * (Late.Count - 1))]:N1} (p99), "
                    + $"{Late[^1]:N1} (last); other queue {Before.Rate:N0}/s, p99 {Before.P99:N1} ms before, "
                    + $"{Meanwhile.Rate:N0}/s, p99 {Meanwhile.P99:N1} ms meanwhile: {Share:P1}{(IsExact ? "" : "; NOT each message twice")}"
            );
    }
}
