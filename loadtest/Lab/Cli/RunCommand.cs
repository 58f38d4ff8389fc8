using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Run;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Lab.Workshop;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

/// <param name="Stages">Empty for the default sequence.</param>
internal sealed record RunArguments(IReadOnlyList<string> Stages, RunOptions Options)
{
    public string Driver { get; init; } = LoadDrivers.Automatic;

    public Guess? Guess { get; init; }

    /// <summary><c>true</c> to show a workshop participant the answers.</summary>
    public bool Spoil { get; init; }

    public string Command { get; init; } = "";

    public RunPlan PlanAt(DateTimeOffset now)
    {
        IReadOnlyList<string> asked = Stages is { Count: > 0 } some ? some : [RunPlan.Everything];
        return RunPlan.Of(asked, Options with { Folder = RunsOnDisk.FolderOf(now, string.Join('+', asked)) });
    }

    /// <summary>Returns the plan for the model, in which the first half of a stage is a stage of its own.</summary>
    public RunPlan ModelPlanAt(DateTimeOffset now)
    {
        var plan = PlanAt(now);
        var all = plan.Played.Concat(plan.Halves).OrderBy(stage => stage.Stage.Id, StringComparer.Ordinal);
        return plan with { Played = [.. all], Halves = [] };
    }
}

internal sealed class RunCommand : Verb
{
    private readonly RunSelection _of = new();
    private readonly Option<string> _driver = SharedOptions.Driver(
        "Load generator. auto uses k6 if it is on PATH; otherwise, own."
    );

    private readonly Option<string?> _predict = OptionOf.Text(
        "--predict",
        "[FIGURE=]NUMBER",
        "Your prediction, such as 20/s (completed.plateau) or backlog.loadEnd=1000, to compare with the result."
    );

    private readonly Option<bool> _spoil = SharedOptions.Spoil();

    private readonly Option<bool> _json = OptionOf.Json("Print run.json instead of the tables.");

    public RunCommand()
        : base(
            "run",
            "Runs load tests and checks the results; for a running application, see `./lab run --target URL --help`. "
                + Outcomes.ExitCodes
        )
    {
        Takes(
            _of.Stages,
            _of.Full,
            _of.K,
            _of.Set,
            _of.Replicas,
            _of.Environment,
            _driver,
            _of.Open,
            _of.Fault,
            _of.Seed,
            _of.Ports,
            _predict,
            _spoil,
            _json
        );
        HasHelp(
            WriteKnobs,
            "run",
            "run 4 5 5-long --full",
            "run 2 --set load.maxUsers=20 --set queue.lockDuration=30",
            "run 2 --predict 20/s",
            "run 2 --fault 'kill workflow-1 at 120s for 60s'",
            "run 1 2 --driver own --json"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var arguments = _of.Of(Typed) with
        {
            Driver = Get(_driver),
            Guess = Get(_predict) is { } guess ? Guess.Parse(guess) : null,
            Spoil = Get(_spoil),
            Command = Line,
        };
        // Reject invalid input before starting anything.
        var plan = arguments.PlanAt(Clock.GetUtcNow());
        foreach (var stage in plan.Played)
            FaultInjection.Require(stage);
        using var onlyOne = await LabLock.AcquireAsync("run");
        var run = await ExecuteAsync(plan, arguments, Context, Stopping);
        Out.Write(Get(_json) ? run.ToJson() : null, screen => VerdictTable.Write(screen, run, plan.Options.Folder));
        return Outcomes.ExitCodeOf(run.Outcome);
    }

    private static void WriteKnobs(TextWriter output)
    {
        output.WriteLine($"FAULT: {StageFault.Grammar}.\n");
        output.WriteLine("Knobs (* divided by k in a scaled run):");
        foreach (var knob in KnobTable.All)
        {
            output.WriteLine(
                $"  {knob.Name + (knob.Scales ? " *" : ""), -40} {knob.Meaning}; {knob.Expectation["expected ".Length..]}"
            );
        }

        output.WriteLine();
    }

    internal static async Task<RunRecord> ExecuteAsync(
        RunPlan plan,
        RunArguments arguments,
        LabContext context,
        CancellationToken cancellationToken
    )
    {
        var (folder, clock) = (plan.Options.Folder, context.Time);
        RunFolder.RequireSpace(folder, plan.Options.K);
        var machine = await MachineRecord.ReadAsync(cancellationToken);
        var startedAt = clock.GetUtcNow();
        using var http = Loopback.CreateClient();
        var view = HiddenAnswers.View(arguments.Spoil);
        var sequence = new Sequence(
            plan,
            stage => LoadDrivers.Choose(arguments.Driver, stage.LoadFolder, http, clock),
            Progress.Lines(context.Error),
            new LiveRun { View = view },
            http,
            context
        );
        return await KeepAsync(folder, () => sequence.ExecuteAsync(cancellationToken), Keep, context);

        Task<RunRecord> Keep(string? reason)
        {
            var played = RunRecord.Of(
                plan,
                sequence.Outcomes,
                startedAt,
                arguments.Command,
                machine,
                sequence.Calibration,
                sequence.Telemetry,
                reason
            );
            var run = played with { Guess = arguments.Guess, Stages = [.. played.Stages.Select(view)] };
            RunReport.Keep(folder, run, sequence.Answers);
            return Task.FromResult(run);
        }
    }

    /// <summary>Runs stages and stores the results, even if the run is interrupted.</summary>
    /// <param name="keep">Stores the results. Its argument is why the run is incomplete, or <c>null</c>.</param>
    internal static async Task<RunRecord> KeepAsync(
        string folder,
        Func<Task> play,
        Func<string?, Task<RunRecord>> keep,
        LabContext context
    )
    {
        using var mark = RunFolder.Begin(folder);
        try
        {
            await play();
            return await keep(null);
        }
        catch (Exception exception) when (exception is LabException or OperationCanceledException)
        {
            await keep(exception is LabException ? exception.Message : "It was stopped before it completed.");
            context.Error.Screen.WriteLine($"The run is incomplete. Its folder: {folder}");
            throw;
        }
    }
}
