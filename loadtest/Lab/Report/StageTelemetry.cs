using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

/// <summary>What a query file answers about one stage.</summary>
/// <param name="Query">Name of the file, without <c>.kql</c>.</param>
/// <param name="Text">The file as it was asked: with the stage's start and end, ready to be pasted.</param>
internal sealed record Answer(string Query, string Text, QueryResult Rows);

/// <summary>The part of a run's telemetry that belongs to one stage. Times on axes are seconds since its load began.</summary>
internal sealed class StageTelemetry(RunTelemetry run, StageTimes times, DateTimeOffset loadStart)
{
    private readonly Dictionary<string, Answer> _answers = [];

    public StageTimes Times => times;

    /// <summary>Seconds from the beginning of the load to the end of the stage.</summary>
    public double Seconds => (times.End - loadStart).TotalSeconds;

    /// <returns>Null when the telemetry knows no such stage: it was broken off.</returns>
    public static StageTelemetry? Of(RunTelemetry run, StageRecord stage)
    {
        var played = run.Stages().LastOrDefault(it => it.Stage == (stage.HalfOf ?? stage.Stage));
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

    /// <param name="query">A file of loadtest/queries, without <c>.kql</c>. Each is asked once.</param>
    public Answer Ask(string query)
    {
        if (_answers.TryGetValue(query, out var known))
            return known;
        var window = new Dictionary<string, object> { ["start"] = times.Start, ["end"] = times.End };
        return _answers[query] = new(query, LetText.With(QueryFile.Text(query), window).Trim(), run.Ask(query, times));
    }

    public double At(DateTime time) => (time - loadStart.UtcDateTime).TotalSeconds;
}

/// <summary>Where a picture or table comes from: the query, to be read and copied.</summary>
internal static class Source
{
    public static Html Of(Answer? answer) => answer is null ? Html.Empty : Of(answer.Query, answer.Text);

    /// <param name="query">A file of loadtest/queries, without <c>.kql</c>.</param>
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
