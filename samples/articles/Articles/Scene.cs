using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles;

/// <summary>One run of a variant.</summary>
/// <param name="Folder">For its files; it is removed when the variant has ended well.</param>
internal sealed record Scene(Variant Variant, Knobs Knobs, string Folder, Ports Ports, IProgress<string> Progress);

/// <summary>The code of an experiment; its question, knobs and checks are data.</summary>
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

    /// <summary>Before the real arm starts anything.</summary>
    /// <exception cref="Lab.LabException">Something is missing on this machine: one sentence.</exception>
    public abstract void RequireMachine(Scene scene);

    public abstract Exhibits Emulate(Scene scene, CancellationToken cancellationToken);

    public abstract Task<Exhibits> MeasureAsync(Scene scene, CancellationToken cancellationToken);
}
