using System.Text.RegularExpressions;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Report;

/// <summary>What each stage of the article found, in one sentence with the figures of this run.</summary>
internal static partial class Story
{
    /// <summary>
    /// Stage → what was counted, with the figures in braces, and what it means. The first is true whatever came out; the second was found
    /// on the published stage, and is said of a run that plays it unchanged and in which all of its checks hold.
    /// </summary>
    private static readonly Dictionary<string, (string Counted, string Means)> Sentences = new()
    {
        ["1"] = (
            "Messages go out at {outgoing.beforeFull} until the cache is full, and at {outgoing.afterFull} from then on. "
                + "Delivery fails {http.5xx.outOfMemory} times because Redis is out of memory",
            ": each failing message occupies its handler during the retries"),
        ["2"] = (
            "There are {http.5xx} errors, and {inOut.plateau} messages arrive for each one that goes out",
            ": a larger cache alone is not enough"),
        ["3"] = (
            "Once all users are active, {completed.plateau} are completed, and nodes are at {node.p95} CPU",
            ": twice the back ends change nothing, because each Workflow handles one message at a time"),
        ["4"] = (
            "{lockLost} completions come after their lock has expired, {deadLettered.loadEnd} messages are dead-lettered, "
                + "and in the last third of the load {completed.lastThird} are completed",
            ": most prefetched messages wait for longer than their lock lasts"),
        ["5"] = (
            "{lockLost.any} settlements are refused, the best 5 seconds complete {completed.peak}, and nodes are at {node.p95} CPU",
            ": with the longer lock, CPU is the limit"),
        ["5-clean"] = (
            "{completed.underLoad} messages are completed under load, and the best 5 seconds complete {completed.peak}",
            ": almost all that were sent, because the queue was empty at the start"),
        ["5-long"] = ("Once all users are active, the backlog changes by {backlog.slope}", ": the application cannot sustain the rate"),
        ["6"] = (
            "Once all users are active, {completed.plateau} are completed. {backlog.loadEnd} messages wait at the end, "
                + "and nodes are at {node.p95} CPU",
            ": twice the nodes keep up"),
        ["6-long"] = (
            "Once all users are active, the backlog changes by {backlog.slope}, and the busiest node is at {node.highest} CPU at most",
            ": the larger cluster sustains the rate"),
    };

    /// <returns>Null when there is nothing to say: another stage, or one that did not come to its end.</returns>
    public static string? Of(RunRecord run, StageRecord stage)
    {
        if (stage.Figures.Count == 0 || !Sentences.TryGetValue(stage.Stage, out var sentence))
            return null;
        var text = sentence.Counted;
        foreach (var (name, figure) in stage.Figures)
            text = text.Replace($"{{{name}}}", NumberText.Of(figure.Value) + figure.Unit, StringComparison.Ordinal);
        return $"{Unknown().Replace(text, "(not available)")}{(IsAsPublished(run, stage) ? sentence.Means : "")}.";
    }

    private static bool IsAsPublished(RunRecord run, StageRecord stage)
    {
        // Of a half, most checks are on its whole stage.
        var whole = Stage.All().FirstOrDefault(it => it.Id == stage.Stage)?.HalfOf;
        return run.Changed.Count == 0 && Holds(stage) && run.Stages.Where(it => it.Stage == whole).All(Holds);
    }

    private static bool Holds(StageRecord stage) => stage.Outcome == Outcomes.Holds && stage.Checks.All(check => check.Holds == true);

    /// <summary>A figure that the target of a replay did not tell.</summary>
    [GeneratedRegex(@"\{[^}]*\}")]
    private static partial Regex Unknown();
}
