namespace DroneDelivery.Lab.Report;

/// <summary>A transaction that a report keeps, and why.</summary>
/// <param name="Why">failure, slow or typical.</param>
internal sealed record SampleTrace(string Stage, string Why, Transaction Transaction);

/// <summary>The transactions that stand for a stage: some of its failures, its slowest, and typical ones, spread over its time.</summary>
internal static class SampleTraces
{
    private const int Failures = 10, Slow = 4, Typical = 6;

    /// <summary>A message that is delivered again and again has hundreds of steps; these are enough to see how.</summary>
    public const int MostSteps = 60;

    /// <returns>Those first that are needed most: one of each sort in turn.</returns>
    public static IReadOnlyList<SampleTrace> Of(string stage, StageTelemetry telemetry)
    {
        var chosen = Choose(telemetry);
        var known = telemetry.Transactions(chosen.Keys).ToDictionary(transaction => transaction.Operation);
        return InTurn(chosen.Where(it => known.ContainsKey(it.Key))
            .Select(it => new SampleTrace(stage, it.Value, Shortened(known[it.Key])))
            .GroupBy(trace => trace.Why));
    }

    /// <summary>The first of each, then the second of each…</summary>
    public static IReadOnlyList<SampleTrace> InTurn(IEnumerable<IEnumerable<SampleTrace>> groups) =>
        [.. groups.SelectMany(group => group.Index()).OrderBy(trace => trace.Index).Select(trace => trace.Item)];

    /// <returns>Operation → why it was chosen.</returns>
    private static Dictionary<string, string> Choose(StageTelemetry telemetry)
    {
        var answer = telemetry.Ask("sample-transactions").Rows;
        var all = Enumerable.Range(0, answer.Rows).Select(row => new AnswerRow(answer, row)).Select(row =>
            (Operation: row.Text("operation_Id"), Why: row.Text("why"), Which: row.Text("which"))).ToList();
        var failures = all.Where(it => it.Why == "failure").ToList();
        // One of each kind, and then as they come.
        IEnumerable<string> OfFailures() => failures.GroupBy(it => it.Which).Select(kind => kind.First().Operation)
            .Concat(Even([.. failures.Select(it => it.Operation)], Failures)).Distinct().Take(Failures);
        IEnumerable<string> Of(string why, int count) => Even([.. all.Where(it => it.Why == why).Select(it => it.Operation)], count);
        var chosen = new Dictionary<string, string>();
        foreach (var (why, operations) in new[]
            { ("failure", OfFailures()), ("slow", Of("slow", Slow)), ("typical", Of("typical", Typical)) })
        {
            foreach (var operation in operations)
                chosen.TryAdd(operation, why);
        }
        return chosen;
    }

    /// <summary>Some of them, as far from each other as it goes.</summary>
    private static IEnumerable<string> Even(IReadOnlyList<string> all, int count) =>
        all.Count <= count ? all : Enumerable.Range(0, count).Select(i => all[i * (all.Count - 1) / Math.Max(1, count - 1)]).Distinct();

    private static Transaction Shortened(Transaction transaction) =>
        transaction with { Steps = [.. transaction.Steps.Take(MostSteps)] };
}
