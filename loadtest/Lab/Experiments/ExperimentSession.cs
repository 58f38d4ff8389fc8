using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <summary>What the command line asks for.</summary>
/// <param name="Variants">None: all of the experiment.</param>
internal sealed record ExperimentPlan(
    Experiment Experiment,
    IReadOnlyList<Variant> Variants,
    bool IsFull,
    IReadOnlyDictionary<string, double> Set
)
{
    /// <summary>Nobody named the variants: one whose program is not installed is left out, and said to be.</summary>
    public bool LeavesOut { get; init; }
}

/// <summary>Plays the variants of one experiment, one after the other.</summary>
/// <param name="place">Its folder is for what the variants write; nothing of it stays, unless one fails.</param>
internal sealed class ExperimentSession(ExperimentPlan plan, ExperimentPlace place)
{
    private readonly List<VariantRecord> _played = [];
    private readonly List<LeftOut> _leftOut = [];

    public ExperimentPlayer Player { get; init; } = ExperimentPlayer.Of(plan.Experiment);

    /// <param name="isWhole">Whether it came to its end.</param>
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
            KnobValues.Of(plan.Experiment, variant, plan.IsFull, plan.Set),
            place with
            {
                Folder = Path.Combine(place.Folder, variant.Name),
            },
            new Prefixed($"{plan.Experiment.Name}, {variant.Name}", progress)
        );

    private async Task<Exhibits> PlayAsync(Scene scene, CancellationToken cancellationToken)
    {
        try
        {
            Directory.CreateDirectory(scene.Place.Folder);
            var exhibits = await Player.PlayAsync(scene, cancellationToken);
            // It stays after a failure, which may have told the name of a log.
            Directory.Delete(scene.Place.Folder, recursive: true);
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
