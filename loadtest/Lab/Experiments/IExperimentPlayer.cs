using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <summary>What an experiment has to itself.</summary>
/// <param name="Folder">For what a variant writes; it is removed when that has ended well.</param>
/// <param name="Ports">Where its processes listen.</param>
internal sealed record ExperimentPlace(string Folder, Ports Ports);

/// <summary>The code of an experiment; its question, knobs and checks are data.</summary>
internal interface IExperimentPlayer
{
    /// <summary>Before anything starts.</summary>
    /// <exception cref="LabException">Something is missing on this machine: one sentence.</exception>
    void RequireMachine(Variant variant, KnobValues knobs, ExperimentPlace place);

    /// <param name="place">Where it may write and listen.</param>
    /// <param name="progress">What happens now, in a few words.</param>
    Task<Exhibits> PlayAsync(
        Variant variant, KnobValues knobs, ExperimentPlace place, IProgress<string> progress, CancellationToken cancellationToken);
}

/// <summary>Which code plays which experiment.</summary>
internal static class ExperimentPlayers
{
    private static readonly Dictionary<string, Func<Experiment, IExperimentPlayer>> ByName = new()
    {
        ["disk-writes"] = experiment => new DiskWritesPlayer(experiment.Article.Table),
        ["gateway-policies"] = _ => new GatewayPoliciesPlayer(),
        ["http-scale"] = _ => new HttpScalePlayer(),
        ["tracking-pixel"] = _ => new TrackingPixelPlayer(),
    };

    public static IExperimentPlayer Of(Experiment experiment) => ByName[experiment.Name](experiment);
}
