using DroneDelivery.Lab;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles;

/// <summary>The variants of an experiment to run.</summary>
internal sealed record ExperimentPlan(
    Experiment Experiment,
    IReadOnlyList<Variant> Variants,
    bool IsFull,
    IReadOnlyDictionary<string, double> Set
)
{
    /// <summary>Whether to skip variants whose programs aren't installed, rather than fail.</summary>
    public bool LeavesOut { get; init; }
}

/// <summary>Runs the variants of an experiment.</summary>
/// <param name="folder">The folder for files of variants, of which only those of failed variants are kept.</param>
internal sealed class ExperimentSession(ExperimentPlan plan, string folder, Ports ports)
{
    private readonly List<VariantRecord> _played = [];
    private readonly List<LeftOut> _leftOut = [];

    public Player Player { get; init; } = Player.Of(plan.Experiment);

    public ExperimentRecord Record(bool isWhole) => ExperimentRecord.Of(plan.Experiment, _played, _leftOut, isWhole);

    /// <exception cref="LabException">A prerequisite is missing, or a variant failed.</exception>
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
            // Kept after a failure, because the message may refer to a log.
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
