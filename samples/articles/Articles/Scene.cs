using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles;

/// <summary>A run of a variant.</summary>
/// <param name="Folder">The folder for its files, which is deleted after success.</param>
internal sealed record Scene(Variant Variant, Knobs Knobs, string Folder, Ports Ports, IProgress<string> Progress);

/// <summary>Runs an experiment, whose question, settings, and checks are data.</summary>
internal abstract class Player
{
    private static readonly Dictionary<string, Player> ByName = new()
    {
        ["disk-writes"] = new DiskWrites.DiskWritesPlayer(),
        ["gateway-policies"] = new GatewayPolicies.GatewayPlayer(),
        ["http-scale"] = new HttpScale.HttpScalePlayer(),
        ["tracking-pixel"] = new TrackingPixel.PixelPlayer(),
    };

    public static Player Of(Experiment experiment) => ByName[experiment.Name];

    /// <summary>Checks the prerequisites of measured variants.</summary>
    /// <exception cref="Lab.LabException">A prerequisite is missing on this machine.</exception>
    public abstract void RequireMachine(Scene scene);

    public abstract Exhibits Emulate(Scene scene, CancellationToken cancellationToken);

    public abstract Task<Exhibits> MeasureAsync(Scene scene, CancellationToken cancellationToken);
}
