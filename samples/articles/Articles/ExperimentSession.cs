using DroneDelivery.Lab;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles;

/// <summary>A request for variants of one experiment.</summary>
internal sealed record ExperimentPlan(
    Experiment Experiment,
    IReadOnlyList<Variant> Variants,
    bool IsFull,
    IReadOnlyDictionary<string, double> Set
)
{
    /// <summary>Whether a variant whose program is not installed is left out; otherwise it is an error.</summary>
    public bool LeavesOut { get; init; }
}

/// <summary>Plays the variants of one experiment, one after the other.</summary>
/// <param name="folder">For the files of the variants; it keeps only those of one that fails.</param>
internal sealed class ExperimentSession(ExperimentPlan plan, string folder, Ports ports)
{
    private readonly List<VariantRecord> _played = [];
    private readonly List<LeftOut> _leftOut = [];

    public Player Player { get; init; } = Player.Of(plan.Experiment);

    public ExperimentRecord Record(bool isWhole) => ExperimentRecord.Of(plan.Experiment, _played, _leftOut, isWhole);

    /// <exception cref="LabException">Something is missing, or broke.</exception>
    public async Task PlayAsync(IProgress<string> progress, CancellationToken cancellationToken)
    {
        var scenes = plan.Variants.Select(variant => SceneOf(variant, progress)).Where(IsPossible).ToList();
        foreach (var scene in scenes)
        {
            var exhibits = await PlayAsync(scene, cancellationToken);
            _played.Add(new(scene.Variant.Name, scene.Variant.Arm, scene.Variant.Title, scene.Knobs.All, exhibits));
        }
    }

    private bool IsPossible(Scene scene)
    {
        try
        {
            if (scene.Variant.Arm == Arm.Real)
                Player.RequireMachine(scene);
            return true;
        }
        catch (MissingProgramException missing) when (plan.LeavesOut)
        {
            _leftOut.Add(new(scene.Variant.Name, missing.Message));
            return false;
        }
    }

    private Scene SceneOf(Variant variant, IProgress<string> progress) =>
        new(
            variant,
            plan.Experiment.KnobsOf(variant, plan.IsFull, plan.Set),
            Path.Combine(folder, variant.Name),
            ports,
            new Prefixed($"{plan.Experiment.Name}, {variant.Name}", progress)
        );

    private async Task<Exhibits> PlayAsync(Scene scene, CancellationToken cancellationToken)
    {
        try
        {
            Directory.CreateDirectory(scene.Folder);
            var exhibits =
                scene.Variant.Arm == Arm.Real
                    ? await Player.MeasureAsync(scene, cancellationToken)
                    : Player.Emulate(scene, cancellationToken);
            // It stays after a failure, whose message may name a log.
            Directory.Delete(scene.Folder, recursive: true);
            return exhibits;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"{plan.Experiment.Name}, {scene.Variant.Name}: {exception.Message}");
        }
    }

    private sealed class Prefixed(string prefix, IProgress<string> inner) : IProgress<string>
    {
        public void Report(string value) => inner.Report($"{prefix}: {value}");
    }
}
