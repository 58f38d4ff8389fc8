using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Runs;

/// <summary>A stage as it is going to be played: shortened, with the knobs of the command line.</summary>
/// <param name="K">What durations and stocks are divided by: 1 is full length, 8 is quick.</param>
/// <param name="Overrides">Knobs of the command line, in full-length units. The run counts as changed when there are any.</param>
/// <param name="Knobs">All knobs as they are applied.</param>
/// <param name="Profile">The load as it is run.</param>
/// <param name="Folder">Where the run is kept.</param>
internal sealed record RunPlan(
    Stage Stage, double K, KnobSet Overrides, KnobSet Knobs, StepProfile Profile, DeclaredEnvironment Environment, string Folder, Ports Ports, int Seed, bool Open)
{
    public const double Quick = 8;

    /// <summary>Settings of the command line that differ from the stage's own.</summary>
    public bool IsChanged => !Overrides.IsEmpty || Environment.Name != Stage.Environment || Open;

    /// <summary>Seconds. A short run has smaller bins, or it would have too few of them; halving them keeps the best bin comparable.</summary>
    public double BinSeconds => K == 1 ? 5 : 2.5;

    public double ObserveSeconds => Stage.Observe.Seconds / K;

    public double TotalSeconds => Profile.DurationSeconds + ObserveSeconds;

    public ApplicationPlan Application => new(Folder, Ports, Knobs, Environment, Seed);

    public LoadPlan Load => new(Profile, [.. Enumerable.Range(0, Application.Replicas(Service.Ingestion)).Select(replica => Application.Url(Service.Ingestion, replica))], Open, Seed);

    /// <param name="stage">What to play.</param>
    /// <param name="k">From 1.</param>
    /// <param name="overrides">Knobs of the command line.</param>
    /// <param name="environment">Null: the stage's.</param>
    /// <param name="ports">Where processes listen.</param>
    /// <param name="seed">Of everything random.</param>
    /// <param name="open">Whether arrivals wait for no answer.</param>
    /// <param name="now">Names the folder.</param>
    /// <exception cref="BadInputException">Knobs that do not fit together.</exception>
    public static RunPlan Of(Stage stage, double k, KnobSet overrides, string? environment, Ports ports, int seed, bool open, DateTimeOffset now)
    {
        var all = stage.Knobs.With(overrides);
        var profile = StepProfile.Load(stage.Profile);
        profile = profile with
        {
            MaxUsers = (int)all.Number("load.maxUsers", profile.MaxUsers),
            StartUsers = (int)Math.Min(profile.StartUsers, all.Number("load.maxUsers", profile.MaxUsers)),
            DurationSeconds = all.Number("load.duration", profile.DurationSeconds),
        };
        var folder = Path.Combine(Repository.Artifacts, "runs", $"{now.ToLocalTime():yyyy-MM-ddTHH-mm-ss}-stage-{stage.Id}");
        return new(stage, k, overrides, all.Shorten(k).Consistent(), profile.Shorten(k), DeclaredEnvironment.Load(environment ?? stage.Environment), folder, ports, seed, open);
    }
}
