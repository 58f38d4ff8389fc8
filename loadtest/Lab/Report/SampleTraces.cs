using System.Text.Encodings.Web;
using System.Text.Json;

namespace DroneDelivery.Lab.Report;

/// <summary>A transaction that a report keeps, and why.</summary>
/// <param name="Why">late, failure, slow or typical.</param>
/// <param name="LeftOut">Steps of it that are not kept.</param>
internal sealed record SampleTrace(
    string Stage,
    string Why,
    Transaction Transaction,
    IReadOnlyList<string> Story,
    int LeftOut = 0
);

/// <summary>The transactions that stand for a stage: its latest, some of its failures, its slowest, and typical ones.</summary>
internal static class SampleTraces
{
    private const int Failures = 10,
        Slow = 4,
        Typical = 6;

    /// <summary>Characters; who sends longer ids does not keep to any standard.</summary>
    private const int LongestId = 200;

    /// <summary>A message that is delivered again and again has hundreds of steps; these are enough to see how.</summary>
    public const int MostSteps = 60;

    /// <returns>Those first that are needed most: one of each sort in turn.</returns>
    public static IReadOnlyList<SampleTrace> Of(string stage, StageTelemetry telemetry)
    {
        var chosen = Choose(telemetry);
        var known = telemetry.Transactions(chosen.Keys).ToDictionary(transaction => transaction.Operation);
        return InTurn(
            chosen
                .Where(it => known.ContainsKey(it.Key))
                .Select(it => Shortened(stage, it.Value, known[it.Key], telemetry.StoryOf(known[it.Key])))
                .GroupBy(trace => trace.Why)
        );
    }

    /// <summary>The first of each, then the second of each…</summary>
    public static IReadOnlyList<SampleTrace> InTurn(IEnumerable<IEnumerable<SampleTrace>> groups) =>
        [.. groups.SelectMany(group => group.Index()).OrderBy(trace => trace.Index).Select(trace => trace.Item)];

    /// <returns>Operation → why it was chosen.</returns>
    private static Dictionary<string, string> Choose(StageTelemetry telemetry)
    {
        var answer = telemetry.Ask("sample-transactions").Rows;
        var all = AnswerRow
            .AllOf(answer)
            .Select(row =>
                (
                    Operation: row.Text("operation_Id"),
                    Why: row.Text("why"),
                    Which: row.Text("which"),
                    Took: row.Value("duration")
                )
            )
            .Where(it => it.Operation.Length <= LongestId)
            .ToList();
        var failures = all.Where(it => it.Why == "failure").ToList();
        // One of each kind, and then as they come.
        IEnumerable<string> OfFailures() =>
            failures
                .GroupBy(it => it.Which)
                .Select(kind => kind.First().Operation)
                .Concat(Even([.. failures.Select(it => it.Operation)], Failures))
                .Distinct()
                .Take(Failures);
        var slow = all.Where(it => it.Why == "slow")
            .OrderByDescending(it => it.Took)
            .Select(it => it.Operation)
            .Take(Slow);
        var typical = Even([.. all.Where(it => it.Why == "typical").Select(it => it.Operation)], Typical);
        var chosen = new Dictionary<string, string>();
        var late = telemetry
            .Ask("late-deliveries")
            .Rows.Column("operation_Id")
            .Select(id => $"{id}")
            .Where(id => id.Length <= LongestId);
        foreach (
            var (why, operations) in new[]
            {
                ("late", late),
                ("failure", OfFailures()),
                ("slow", slow),
                ("typical", typical),
            }
        )
        {
            foreach (var operation in operations)
                chosen.TryAdd(operation, why);
        }
        return chosen;
    }

    /// <summary>Some of them, as far from each other as it goes.</summary>
    private static IEnumerable<string> Even(IReadOnlyList<string> all, int count) =>
        all.Count <= count
            ? all
            : Enumerable.Range(0, count).Select(i => all[i * (all.Count - 1) / Math.Max(1, count - 1)]).Distinct();

    /// <summary>What failed is kept first, with the steps that it is inside of, and then the rest from the beginning.</summary>
    private static SampleTrace Shortened(string stage, string why, Transaction transaction, IReadOnlyList<string> story)
    {
        var steps = transaction.Steps;
        var kept = new SortedSet<int>();
        foreach (var failed in Enumerable.Range(0, steps.Count).Where(i => steps[i].Failed).Take(MostSteps / 2))
            kept.UnionWith(WithOuter(steps, failed));
        foreach (var next in Enumerable.Range(0, steps.Count).TakeWhile(_ => kept.Count < MostSteps))
            kept.Add(next);
        var shown = kept.Take(MostSteps).Select(i => steps[i]).ToList();
        return new(stage, why, transaction with { Steps = shown }, story, steps.Count - shown.Count);
    }

    /// <summary>A step and those that it is inside of: each is the last one above it that is less deep.</summary>
    private static IEnumerable<int> WithOuter(IReadOnlyList<Step> steps, int inner)
    {
        yield return inner;
        var depth = steps[inner].Depth;
        for (var i = inner - 1; i >= 0 && depth > 0; i--)
        {
            if (steps[i].Depth >= depth)
                continue;
            depth = steps[i].Depth;
            yield return i;
        }
    }
}

/// <summary>Transactions for the page's script, which writes them as text: texts once, and a step as a row of numbers.</summary>
internal static class TraceJson
{
    /// <summary>Characters of a text; some exceptions have a page.</summary>
    private const int LongestText = 400;

    /// <summary>Characters of the stacks of an exception.</summary>
    private const int LongestStack = 4_000;

    /// <param name="traces">Those first that are needed most.</param>
    /// <param name="most">Bytes in all; the traces that would exceed them are left out.</param>
    /// <remarks>The serializer writes &lt; and &amp; as escapes, so nothing in it can end a script element.</remarks>
    public static string Of(IEnumerable<SampleTrace> traces, int most = int.MaxValue)
    {
        var texts = new Dictionary<string, int>();
        var written = new List<object>();
        var size = 0;
        foreach (var trace in traces)
        {
            var (operation, steps) = (trace.Transaction.Operation, trace.Transaction.Steps);
            var unknown = steps.SelectMany(Texts).Distinct().Where(text => !texts.ContainsKey(text)).ToList();
            var ofSteps = steps.Sum(step => 55 + 12 * step.Attributes.Count);
            var own = ofSteps + trace.Story.Concat(unknown).Append(operation).Sum(LengthOf) + 120;
            if (size + own > most)
                continue;
            size += own;
            foreach (var text in unknown)
                texts[text] = texts.Count;
            object[] rows = [.. steps.Select(step => Row(step, texts))];
            written.Add(
                new
                {
                    trace.Stage,
                    trace.Why,
                    operation,
                    At = trace.Transaction.Start,
                    trace.LeftOut,
                    trace.Story,
                    Steps = rows,
                }
            );
        }
        return JsonSerializer.Serialize(new { Texts = texts.Keys, Traces = written }, JsonSerializerOptions.Web);
    }

    private static object?[] Row(Step step, Dictionary<string, int> texts) =>
        [
            Array.IndexOf(Transaction.Kinds, step.Kind),
            step.Depth,
            Math.Round(step.Start, 1),
            step.Duration is { } duration ? Math.Round(duration, 1) : null,
            texts[Cut(step.Role)],
            texts[Cut(step.Instance)],
            texts[Cut(step.Name)],
            texts[Cut(step.Result)],
            step.Failed ? 1 : 0,
            texts[Cut(step.Message)],
            step.Attributes.SelectMany(it => new[] { texts[Cut(it.Name)], texts[Cut(it.Value)] }),
            texts[Cut(step.Stack, LongestStack)],
        ];

    private static IEnumerable<string> Texts(Step step) =>
        new[] { step.Role, step.Instance, step.Name, step.Result, step.Message }
            .Concat(step.Attributes.SelectMany(it => new[] { it.Name, it.Value }))
            .Select(text => Cut(text))
            .Append(Cut(step.Stack, LongestStack));

    /// <summary>As it is written: a quote becomes six characters.</summary>
    private static int LengthOf(string text) =>
        JsonEncodedText.Encode(text, JavaScriptEncoder.Default).EncodedUtf8Bytes.Length + 3;

    /// <summary>Half of a surrogate pair could not be written.</summary>
    public static string Cut(string text, int most = LongestText) =>
        text.Length <= most ? text : text[..(char.IsHighSurrogate(text[most - 1]) ? most - 1 : most)] + "…";
}
