namespace DroneDelivery.Lab.Stages;

/// <summary>A stage to run, scaled and with the settings of the command line.</summary>
internal sealed record StagePlan(
    Stage Stage,
    RunOptions Options,
    KnobSet Knobs,
    StepProfile Profile,
    DeclaredEnvironment Environment
)
{
    public double K => Options.K;

    /// <summary>In seconds. Shorter runs have smaller intervals; halving keeps the maximum comparable.</summary>
    public double BinSeconds => K == 1 ? 5 : 2.5;

    public double ObserveSeconds => Stage.Observe.Seconds / K;

    public double TotalSeconds => Profile.DurationSeconds + ObserveSeconds;

    /// <summary>The differences from the published stage. If there are any, the published metrics don't apply.</summary>
    public IReadOnlyList<string> Differences =>
        [
            .. Options
                .Overrides.All.Select(set =>
                    (set.Knob.Name, Now: set.Knob.Show(set.Value), Published: PublishedOf(set.Knob))
                )
                .Where(option => option.Now != option.Published)
                .Select(option => $"{option.Name}={option.Now} (published: {option.Published})"),
            .. Options.Targets.Count == 0 && Options.Environment is { } environment && environment != Stage.Environment
                ? [$"--environment={environment} (published: {Stage.Environment})"]
                : Array.Empty<string>(),
            .. Options.Open ? ["--open"] : Array.Empty<string>(),
            .. Options.Faults.Select(fault => $"--fault='{fault.Text}'"),
        ];

    public bool EmulatesNodes => Environment.Nodes is not null && Knobs.Number("nodes.cpuCost") > 0;

    public string LoadFolder => Path.Combine(Options.Folder, "load", Stage.Id);

    public int MessagesAtStart => (int)Knobs.Number("queue.messagesAtStart", Math.Round(Stage.Start.Messages / K));

    /// <summary>The maximum number of messages that one Workflow holds.</summary>
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

    /// <summary>The same stage at full scale. Uses the values as entered, because scaling rounds counts.</summary>
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
