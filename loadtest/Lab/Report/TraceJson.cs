using System.Text.Encodings.Web;
using System.Text.Json;

namespace DroneDelivery.Lab.Report;

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
            written.Add(new { trace.Stage, trace.Why, operation, At = trace.Transaction.Start, trace.LeftOut, trace.Story, Steps = rows });
        }
        return JsonSerializer.Serialize(new { Texts = texts.Keys, Traces = written }, JsonSerializerOptions.Web);
    }

    private static object?[] Row(Step step, Dictionary<string, int> texts) =>
    [
        Array.IndexOf(Transaction.Kinds, step.Kind), step.Depth, Math.Round(step.Start, 1),
        step.Duration is { } duration ? Math.Round(duration, 1) : null,
        texts[Cut(step.Role)], texts[Cut(step.Instance)], texts[Cut(step.Name)], texts[Cut(step.Result)],
        step.Failed ? 1 : 0, texts[Cut(step.Message)],
        step.Attributes.SelectMany(it => new[] { texts[Cut(it.Name)], texts[Cut(it.Value)] }), texts[Cut(step.Stack, LongestStack)],
    ];

    private static IEnumerable<string> Texts(Step step) =>
        new[] { step.Role, step.Instance, step.Name, step.Result, step.Message }
            .Concat(step.Attributes.SelectMany(it => new[] { it.Name, it.Value }))
            .Select(text => Cut(text))
            .Append(Cut(step.Stack, LongestStack));

    /// <summary>As it is written: a quote becomes six characters.</summary>
    private static int LengthOf(string text) => JsonEncodedText.Encode(text, JavaScriptEncoder.Default).EncodedUtf8Bytes.Length + 3;

    public static string Cut(string text, int most = LongestText) => text.Length <= most ? text : text[..most] + "…";
}
