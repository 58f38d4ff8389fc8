using DroneDelivery.Lab.Experiments.DiskWrites;

namespace DroneDelivery.Lab.Experiments;

/// <summary>The code of an experiment; its question, knobs and checks are data.</summary>
internal interface IExperimentPlayer
{
    /// <summary>Before anything starts.</summary>
    /// <exception cref="LabException">Something is missing on this machine: one sentence.</exception>
    void RequireMachine(Variant variant, KnobValues knobs);

    /// <param name="folder">For what the variant writes; it is removed afterwards.</param>
    /// <param name="progress">What happens now, in a few words.</param>
    Task<Exhibits> PlayAsync(
        Variant variant, KnobValues knobs, string folder, IProgress<string> progress, CancellationToken cancellationToken);
}

/// <summary>Which code plays which experiment.</summary>
internal static class ExperimentPlayers
{
    private static readonly Dictionary<string, Func<Experiment, IExperimentPlayer>> ByName = new()
    {
        ["disk-writes"] = experiment => new DiskWritesPlayer(experiment.Article.Table),
    };

    public static IExperimentPlayer Of(Experiment experiment) => ByName[experiment.Name](experiment);
}
