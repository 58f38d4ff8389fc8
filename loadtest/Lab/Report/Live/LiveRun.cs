using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Report;

/// <summary>What is being played. The run says it, those who watch read it.</summary>
internal sealed class LiveRun
{
    /// <summary>Null as long as no process was started, and where others run the application.</summary>
    public LiveProcesses? Processes { get; set; }

    /// <summary>Null before the first stage, and where the application runs without load.</summary>
    public LiveStage? Stage { get; private set; }

    /// <summary>The stages that have been played, with their verdicts so far: a check between two stages waits for both.</summary>
    public IReadOnlyList<StageRecord> Ended { get; private set; } = [];

    public void Begin(LiveStage stage) => Stage = stage;

    public void End(IReadOnlyList<StageRecord> ended) => Ended = ended;
}

/// <param name="Record">What is known of it before its end.</param>
/// <param name="Start">When it began; its telemetry begins here.</param>
internal sealed record LiveStage(StageRecord Record, DateTimeOffset Start)
{
    public static LiveStage Of(StagePlan plan, DateTimeOffset start) =>
        new(
            StageRecord.Of(
                new(plan, start, Measured: null, new Series([])),
                new Dictionary<string, IReadOnlyDictionary<string, double>>(),
                whyVoid: null,
                reason: null),
            start);
}
