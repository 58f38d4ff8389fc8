using System.Text.Json;

namespace DroneDelivery.Lab.Report;

/// <summary>Transactions for the page's script, which writes them as text: texts once, and a step as a row of numbers.</summary>
internal static class TraceJson
{
    /// <summary>Characters of a text; some exceptions have a page.</summary>
    public const int LongestText = 400;

    /// <param name="traces">Those first that are needed most.</param>
    /// <param name="most">Characters in all; the traces that would exceed them are left out.</param>
    /// <remarks>The serializer writes &lt; and &amp; as escapes, so nothing in it can end a script element.</remarks>
    public static string Of(IEnumerable<SampleTrace> traces, int most = int.MaxValue)
    {
        var texts = new Dictionary<string, int>();
        var written = new List<object>();
        var size = 0;
        foreach (var trace in traces)
        {
            var before = texts.Count;
            object[] steps = [.. trace.Transaction.Steps.Select(step => Row(step, texts))];
            size += steps.Length * 45 + texts.Keys.Skip(before).Sum(text => text.Length + 3) + 120;
            if (size > most)
                break;
            written.Add(new { trace.Stage, trace.Why, trace.Transaction.Operation, At = trace.Transaction.Start, Steps = steps });
        }
        return JsonSerializer.Serialize(new { Texts = texts.Keys, Traces = written }, JsonSerializerOptions.Web);
    }

    private static object?[] Row(Step step, Dictionary<string, int> texts) =>
    [
        KindOf(step), step.Depth, Math.Round(step.Start, 1), step.Duration is { } duration ? Math.Round(duration, 1) : null,
        Of(step.Role, texts), Of(step.Instance, texts), Of(step.Name, texts), Of(step.Result, texts),
        step.Failed ? 1 : 0, Of(step.Message, texts),
    ];

    private static int KindOf(Step step) => Transaction.Kinds.Index().First(kind => kind.Item == step.Kind).Index;

    private static int Of(string text, Dictionary<string, int> texts)
    {
        var shown = text.Length <= LongestText ? text : text[..LongestText] + "…";
        if (!texts.TryGetValue(shown, out var index))
            texts[shown] = index = texts.Count;
        return index;
    }
}
