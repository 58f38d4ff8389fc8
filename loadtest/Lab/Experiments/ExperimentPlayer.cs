using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <param name="Folder">For what a variant writes; it is removed when that has ended well.</param>
internal sealed record ExperimentPlace(string Folder, Ports Ports);

internal sealed record Scene(Variant Variant, KnobValues Knobs, ExperimentPlace Place, IProgress<string> Progress);

/// <summary>The code of an experiment; its question, knobs and checks are data.</summary>
/// <param name="RequireMachine">
/// Before the real arm starts anything. Throws a <see cref="LabException"/> if something is missing on this machine: one sentence.
/// </param>
internal sealed record ExperimentPlayer(
    Action<Scene> RequireMachine,
    Func<Scene, CancellationToken, Task<Exhibits>> MeasureAsync,
    Func<Scene, CancellationToken, Task<Exhibits>> EmulateAsync
)
{
    private static readonly Dictionary<string, ExperimentPlayer> ByName = new()
    {
        ["disk-writes"] = new(LocalDiskArm.RequireMachine, LocalDiskArm.MeasureAsync, At(ShareGrid.Emulate)),
        ["gateway-policies"] = OfApplication(RealGateway.PlanOf, RealGateway.ShowAsync, At(GatewayExhibits.Emulate)),
        ["http-scale"] = OfApplication(RealIngestion.LimitedPlanOf, RealIngestion.ShowAsync, EmulatedApp.EmulateAsync),
        ["tracking-pixel"] = OfApplication(RealTracking.PlanOf, RealTracking.ShowAsync, At(EmulatedSite.Emulate)),
    };

    public static ExperimentPlayer Of(Experiment experiment) => ByName[experiment.Name];

    public Task<Exhibits> PlayAsync(Scene scene, CancellationToken cancellationToken) =>
        scene.Variant.Arm == Arm.Real ? MeasureAsync(scene, cancellationToken) : EmulateAsync(scene, cancellationToken);

    private static ExperimentPlayer OfApplication(
        Func<ExperimentPlace, ApplicationPlan> plan,
        Func<Application, Scene, CancellationToken, Task<Exhibits>> measure,
        Func<Scene, CancellationToken, Task<Exhibits>> emulate
    ) =>
        new(
            scene => RealArm.RequireMachine(plan(scene.Place)),
            (scene, token) => RealArm.MeasureAsync(plan(scene.Place), scene, measure, token),
            emulate
        );

    private static Func<Scene, CancellationToken, Task<Exhibits>> At(
        Func<Scene, CancellationToken, Exhibits> emulate
    ) => (scene, token) => Task.FromResult(emulate(scene, token));
}
