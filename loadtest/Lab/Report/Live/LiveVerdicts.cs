using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Report;

/// <summary>What came of the stages that have ended, and what the one that is played will be judged by.</summary>
internal static class LiveVerdicts
{
    public static Html Of(LiveRun run) => Html.Of($"{Now(run.Stage)}{run.Ended.Select(Line)}");

    private static Html Now(LiveStage? stage) => stage is { Record.Differences: { Count: > 0 } differences }
        ? Html.Of($"""
            <p class="note">Stage {stage.Record.Stage} is played with {string.Join(", ", differences)}.
            It will be judged by what these knobs imply; a published band that it leaves is no failure.</p>
            """)
        : Html.Empty;

    private static Html Line(StageRecord stage) => Html.Of($"""
        <p class="note">{Verdicts.Badge(stage.Outcome)} Stage {stage.Stage} is {Outcomes.Say(stage.Outcome)}.
        {stage.Reason ?? (stage.Differences.Count > 0 ? VerdictText.Of(stage) : VerdictText.Predictions(stage))}</p>
        """);
}
