using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <summary>What an experiment has to itself.</summary>
/// <param name="Folder">For what a variant writes; it is removed when that has ended well.</param>
/// <param name="Ports">Where its processes listen.</param>
internal sealed record ExperimentPlace(string Folder, Ports Ports);

/// <summary>A variant that is played.</summary>
/// <param name="Place">Where it may write and listen.</param>
/// <param name="Progress">What happens now, in a few words.</param>
internal sealed record Scene(Variant Variant, KnobValues Knobs, ExperimentPlace Place, IProgress<string> Progress);

/// <summary>The code of an experiment; its question, knobs and checks are data.</summary>
/// <param name="RequireMachine">
/// Before the real arm starts anything. Throws a <see cref="LabException"/> if something is missing on this machine: one sentence.
/// </param>
internal sealed record ExperimentPlayer(
    Action<Scene> RequireMachine,
    Func<Scene, CancellationToken, Task<Exhibits>> MeasureAsync,
    Func<Scene, CancellationToken, Task<Exhibits>> EmulateAsync)
{
    private static readonly Dictionary<string, ExperimentPlayer> ByName = new()
    {
        ["disk-writes"] = new(LocalDiskArm.RequireMachine, LocalDiskArm.MeasureAsync, ShareGrid.EmulateAsync),
        ["gateway-policies"] = new(
            scene => RealArm.RequireMachine(RealGateway.PlanOf(scene.Place)), RealGateway.MeasureAsync, GatewayExhibits.EmulateAsync),
        ["http-scale"] = new(
            scene => RealArm.RequireMachine(RealIngestion.LimitedPlanOf(scene.Place)),
            RealIngestion.MeasureAsync,
            EmulatedApp.EmulateAsync),
        ["tracking-pixel"] = new(
            scene => RealArm.RequireMachine(RealTracking.PlanOf(scene.Place)), RealTracking.MeasureAsync, EmulatedSite.EmulateAsync),
    };

    public static ExperimentPlayer Of(Experiment experiment) => ByName[experiment.Name];

    public Task<Exhibits> PlayAsync(Scene scene, CancellationToken cancellationToken) =>
        scene.Variant.Arm == Arm.Real ? MeasureAsync(scene, cancellationToken) : EmulateAsync(scene, cancellationToken);
}
