using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

/// <summary>The result of a query file for one stage.</summary>
/// <param name="Text">The query with the stage's start and end, for pasting elsewhere.</param>
internal sealed record Answer(string Query, string Text, QueryResult Rows);

/// <summary>The telemetry of one stage. Times are seconds since its load began.</summary>
internal sealed class StageTelemetry(RunTelemetry run, StageTimes times, DateTimeOffset loadStart)
{
    private readonly Dictionary<string, Answer> _answers = [];

    public StageTimes Times => times;

    public double Seconds => (times.End - loadStart).TotalSeconds;

    /// <returns><c>null</c> if the stage was interrupted.</returns>
    public static StageTelemetry? Of(RunTelemetry run, StageRecord stage)
    {
        var played = run.Stages().LastOrDefault(other => other.Stage == (stage.HalfOf ?? stage.Stage));
        if (played is null)
            return null;
        var own = stage.HalfOf is null
            ? played
            : played with
            {
                Stage = stage.Stage,
                End = stage.StartedAt.AddSeconds(stage.Profile.DurationSeconds),
            };
        return new(run, own, stage.StartedAt);
    }

    /// <param name="query">A file of loadtest/queries, without <c>.kql</c>. Results are cached.</param>
    public Answer Ask(string query)
    {
        if (_answers.TryGetValue(query, out var known))
            return known;
        var window = new Dictionary<string, object> { ["start"] = times.Start, ["end"] = times.End };
        return _answers[query] = new(query, LetText.With(QueryFile.Text(query), window).Trim(), run.Ask(query, times));
    }

    public double At(DateTime time) => (time - loadStart.UtcDateTime).TotalSeconds;
}

/// <summary>The query of a chart or table, to read and copy.</summary>
internal static class Source
{
    public static Html Of(Answer? answer) => answer is null ? Html.Empty : Of(answer.Query, answer.Text);

    public static Html Of(string query, string text) =>
        Html.Of(
            $"""
            <details class="kql"><summary>KQL</summary><p>{KqlQuery.Parse(text).Question} <code>{query}.kql</code></p>
            <pre tabindex="0"><code>{WithoutQuestion(
                text
            )}</code></pre><button type="button" class="copy">Copy query</button></details>
            """
        );

    private static string WithoutQuestion(string text) =>
        text.StartsWith("//", StringComparison.Ordinal)
            ? text[(text.IndexOf('\n', StringComparison.Ordinal) + 1)..]
            : text;
}
