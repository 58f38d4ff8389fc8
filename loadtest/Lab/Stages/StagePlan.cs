namespace DroneDelivery.Lab.Stages;

/// <summary>A stage as it is going to be played: shortened, with the knobs of the command line.</summary>
/// <param name="Knobs">All knobs as they are applied.</param>
internal sealed record StagePlan(
    Stage Stage,
    RunOptions Options,
    KnobSet Knobs,
    StepProfile Profile,
    DeclaredEnvironment Environment
)
{
    public double K => Options.K;

    /// <summary>Seconds. A short run has smaller bins, or it would have too few; halving them keeps the best bin comparable.</summary>
    public double BinSeconds => K == 1 ? 5 : 2.5;

    public double ObserveSeconds => Stage.Observe.Seconds / K;

    public double TotalSeconds => Profile.DurationSeconds + ObserveSeconds;

    /// <summary>
    /// How it differs from the published stage: knobs, and the rest of the command line. With any of it, the published figures say
    /// nothing. Where the application runs (a replay) is none of it.
    /// </summary>
    public IReadOnlyList<string> Differences =>
        [
            .. Options
                .Overrides.All.Select(set =>
                    (set.Knob.Name, Now: set.Knob.Show(set.Value), Published: PublishedOf(set.Knob))
                )
                .Where(it => it.Now != it.Published)
                .Select(it => $"{it.Name}={it.Now} (published: {it.Published})"),
            .. Options.Targets.Count == 0 && Options.Environment is { } environment && environment != Stage.Environment
                ? [$"--environment={environment} (published: {Stage.Environment})"]
                : Array.Empty<string>(),
            .. Options.Open ? ["--open"] : Array.Empty<string>(),
            .. Options.Faults.Select(fault => $"--fault='{fault.Text}'"),
        ];

    public bool EmulatesNodes => Environment.Nodes is not null && Knobs.Number("nodes.cpuCost") > 0;

    public string LoadFolder => Path.Combine(Options.Folder, "load", Stage.Id);

    public int MessagesAtStart => (int)Knobs.Number("queue.messagesAtStart", Math.Round(Stage.Start.Messages / K));

    /// <summary>Messages that one Workflow may hold: its prefetch, or without one a message for each of its handlers.</summary>
    public int HeldAtMost =>
        Knobs.Number("workflow.prefetchCount") is > 0 and var prefetch
            ? (int)prefetch
            : (int)Knobs.Number("workflow.maxConcurrentCalls");

    public static StagePlan Of(Stage stage, RunOptions options)
    {
        var all = stage.Knobs.With(options.Overrides);
        var profile = StepProfile.Load(stage.Profile);
        profile = profile with
        {
            MaxUsers = (int)all.Number("load.maxUsers", profile.MaxUsers),
            StartUsers = (int)Math.Min(profile.StartUsers, all.Number("load.maxUsers", profile.MaxUsers)),
            DurationSeconds = all.Number("load.duration", profile.DurationSeconds),
            InstructionsLength = (int)all.Number("load.instructions", profile.InstructionsLength),
        };
        var own = options.Targets.Count > 0 ? DeclaredEnvironment.None.Name : stage.Environment;
        return new(
            stage,
            options,
            all.Consistent(options.K).Shorten(options.K),
            profile.Shorten(options.K),
            DeclaredEnvironment.Load(options.Environment ?? own)
        );
    }

    /// <summary>
    /// The same stage as it is when nothing is shortened. What was typed counts as it was typed: a shortened count is rounded.
    /// </summary>
    public StagePlan AtFullLength =>
        K == 1
            ? this
            : this with
            {
                Options = Options with { K = 1 },
                Knobs = Knobs.Shorten(1 / K).With(Stage.Knobs).With(Options.Overrides),
                Profile = Profile.Shorten(1 / K),
            };

    private string PublishedOf(Knob knob) => Stage.Knobs[knob.Name] is { } published ? knob.Show(published) : "default";
}
