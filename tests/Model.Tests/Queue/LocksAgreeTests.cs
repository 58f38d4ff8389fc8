namespace DroneDelivery.Model.Tests.Queue;

/// <summary>Compares two implementations of the rules for locks and prefetch in small random cases.</summary>
public sealed class LocksAgreeTests
{
    private const int Cases = 1_000;

    [Fact]
    public void Simulator_matches_a_naive_queue_event_by_event()
    {
        var (lines, lost, renewals) = (0, 0, 0);
        for (var seed = 1; seed <= Cases; seed++)
        {
            var setting = Draw(new Random(seed));
            var log = new EventLog();
            var trace = Simulator.Run(setting, seed, log);
            var naive = CaseOf(setting);
            var end = Time.FromSeconds(trace.ObservedUntil);

            string[] expected = [.. NaiveQueue.Play(naive, log.Arrivals, end)];
            string[] actual =
            [
                .. log.Lines.Where(line => long.Parse(line[..line.IndexOf(' ', StringComparison.Ordinal)], null) < end),
            ];

            var differs = Enumerable
                .Range(0, Math.Max(expected.Length, actual.Length))
                .FirstOrDefault(i => expected.ElementAtOrDefault(i) != actual.ElementAtOrDefault(i), -1);
            var (said, wanted) = (actual.ElementAtOrDefault(differs), expected.ElementAtOrDefault(differs));
            Assert.True(differs < 0, $"Case {seed}, {naive}, line {differs}: {said} instead of {wanted}");
            lines += actual.Length;
            lost += actual.Count(line => line.EndsWith("lock lost", StringComparison.Ordinal));
            renewals += naive.Renews ? 1 : 0;
        }

        // The cases are only meaningful if some locks expire and some don't.
        Assert.True(
            lines > 50 * Cases && lost > Cases && lost < lines / 4 && renewals > Cases / 4,
            $"{lines} lines, {lost} lost"
        );
    }

    private static Setting Draw(Random random)
    {
        var calls = random.Next(1, 5);
        var prefetch = random.Next(3) == 0 ? 0 : random.Next(1, 25);
        return Settings.Small with
        {
            Users = new(
                Start: 1,
                Step: 1,
                StepSeconds: 0.5,
                Most: random.Next(1, 4),
                DurationSeconds: 6,
                EveryMilliseconds: random.Next(150, 900),
                Jitter: 0.3
            ),
            Queue = new(0.5 + 3 * random.NextDouble(), random.Next(1, 5), random.Next(0, 31)),
            Handling = new(calls, prefetch, random.Next(2) * 300, random.Next(2) == 0),
            Nodes = new(1, 1),
            Ingestion = new([0], Cpu: 1.2345),
            Workflow = new([.. Enumerable.Repeat(0, random.Next(1, 4))], Cpu: 0, Any(random, 300)),
            Backends = [new([0], 0, Any(random, 200)), new([0], 0, Any(random, 300)), new([0], 0, Any(random, 900))],
            ObserveSeconds = 5,
            UntilEmpty = false,
        };
    }

    private static LogNormal Any(Random random, double most) => Settings.Always(5 + most * random.NextDouble());

    private static NaiveCase CaseOf(Setting setting) =>
        new(
            setting.Workflow.Nodes.Count,
            setting.Handling.ConcurrentCalls,
            setting.Handling.Prefetch,
            Time.FromSeconds(setting.Queue.LockSeconds),
            setting.Queue.MaxDeliveryCount,
            setting.Handling.RenewalSeconds > 0,
            setting.Handling.FailuresDeadLetter,
            setting.Queue.MessagesAtStart,
            [0, .. setting.Backends.Select(backend => TicksOf(backend.Latency!))],
            TicksOf(setting.Workflow.Latency!)
        );

    private static long TicksOf(Times latency) => Time.FromMilliseconds(latency.Mean);
}
