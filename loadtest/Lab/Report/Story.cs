using System.Text.RegularExpressions;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Report;

/// <summary>What each stage of the article found, in one sentence with the figures of this run.</summary>
internal static partial class Story
{
    /// <summary>Figures stand in braces. They are true whatever came out: what the figures should have been is for the checks to say.</summary>
    private static readonly Dictionary<string, string> Sentences = new()
    {
        ["1"] = "Messages go out at {outgoing.beforeFull}, until the cache is full: then Delivery fails {http.5xx.outOfMemory} times for want of memory, each failing message holds its place through the retries, and {outgoing.afterFull} are left.",
        ["2"] = "With a larger cache there are {http.5xx} errors, and still {inOut.plateau} messages come in for each one that goes out.",
        ["3"] = "Twice the backends complete {completed.plateau}, with nodes at {node.p95} CPU: each Workflow waits for the calls of one message before it takes the next.",
        ["4"] = "Twenty messages at a time, and thousands prefetched: {lockLost} completions come after the lock is over, {deadLettered.loadEnd} messages are dead-lettered, and in the last third of the load {completed.lastThird} are completed.",
        ["5"] = "With a longer lock {lockLost.any} settlements are refused and the best 5 seconds complete {completed.peak}: now the nodes, at {node.p95} CPU, are the limit.",
        ["5-clean"] = "From an empty queue {completed.underLoad} messages are completed under load, at most {completed.peak}.",
        ["5-long"] = "For twice as long, the backlog grows by {backlog.slope} with all users: the rate cannot be sustained.",
        ["6"] = "Twice the nodes keep up: {completed.plateau} with all users, {backlog.loadEnd} messages waiting at the end, nodes at {node.p95} CPU.",
        ["6-long"] = "For twice as long the backlog changes by {backlog.slope}, with the busiest node at {node.highest} CPU at most.",
    };

    /// <returns>Null when there is nothing to say: another stage, or one that did not come to its end.</returns>
    public static string? Of(StageRecord stage)
    {
        if (stage.Figures.Count == 0 || !Sentences.TryGetValue(stage.Stage, out var sentence))
            return null;
        foreach (var (name, figure) in stage.Figures)
            sentence = sentence.Replace($"{{{name}}}", NumberText.Of(figure.Value) + figure.Unit, StringComparison.Ordinal);
        return Unknown().Replace(sentence, "(not available)");
    }

    /// <summary>A figure that the target of a replay did not tell.</summary>
    [GeneratedRegex(@"\{[^}]*\}")]
    private static partial Regex Unknown();
}
