using System.CommandLine;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab run</c>: replays stages and judges them.</summary>
internal static class RunCommand
{
    public static Command Create()
    {
        var stages = new Argument<string[]>("stages")
        {
            Arity = ArgumentArity.ZeroOrMore,
            Description = "Which stages: ids as `./lab stages` lists them, or all for the whole story. [default: all]",
        };
        Option<bool> full = Options.Full();
        Option<int> k = Options.K();
        var repeat = Options.WholeNumber("--repeat", 1, 1, 100, "Run N times, and show medians and ranges.");
        var driver = Options.Driver("Load generator; auto uses k6 if it is on PATH.");
        var open = new Option<bool>("--open") { Description = "Open model: requests arrive on time even when answers are late." };
        Option<string[]> set = Options.Set(), replicas = Options.Replicas();
        var environment = Options.Environment("the stage's");
        Option<int> ports = Options.PortOffset(), seed = Options.Seed();
        var json = Options.Json("Print run.json instead of the tables; with --repeat an array of them.");
        var command = new Command("run", "Replays load tests and judges them. Exit code 0 only if every check that can be judged holds.")
        {
            stages, full, k, repeat, set, replicas, environment, driver, open, seed, ports, json,
        };
        command.WithHelp(
            KnobHelp.Write,
            "run",
            "run 4 5 5-long --full",
            "run 2 --set workflow.maxConcurrentCalls=20 --set workflow.prefetchCount=200",
            "run 1 2 --driver own --repeat 3 --json");
        command.SetAction(async (parsed, cancellationToken) =>
        {
            string[] asked = parsed.GetValue(stages) is { Length: > 0 } some ? some : [RunPlan.Everything];
            var knobs = Options.Knobs(parsed.GetValue(set)!, parsed.GetValue(replicas)!);
            RunPlan Plan() => RunPlan.Of(asked, new(
                parsed.GetValue(full) ? 1 : parsed.GetValue(k), knobs, parsed.GetValue(environment),
                RunOptions.FolderOf(TimeProvider.System.GetUtcNow(), string.Join('+', asked)),
                new Ports(parsed.GetValue(ports)),
                parsed.GetValue(seed),
                parsed.GetValue(open)));
            return await RepeatAsync(
                parsed.GetValue(repeat),
                Plan,
                parsed.GetValue(driver)!,
                "./lab " + string.Join(' ', parsed.Tokens.Select(token => token.Value)),
                parsed.GetValue(json),
                cancellationToken);
        });
        return command;
    }

    private static async Task<int> RepeatAsync(
        int times, Func<RunPlan> plan, string driver, string command, bool json, CancellationToken cancellationToken)
    {
        using var onlyOne = LabLock.Acquire("run");
        var runs = new List<RunRecord>();
        for (var i = 0; i < times; i++)
        {
            var next = plan();
            runs.Add(await PlayAsync(next, driver, command, TimeProvider.System, cancellationToken));
            if (!json)
                VerdictTable.Write(Terminal.Output, next, runs[^1]);
        }

        Conclude(runs, json, Console.Out, Terminal.Output, Terminal.Error);
        return runs.TrueForAll(run => run.Outcome == Outcomes.Holds) ? 0 : 1;
    }

    /// <summary>Who asks for JSON gives standard output to a program: one document, and nothing beside it.</summary>
    internal static void Conclude(IReadOnlyList<RunRecord> runs, bool json, TextWriter document, IAnsiConsole output, IAnsiConsole error)
    {
        if (json)
            document.WriteLine(runs is [var only] ? only.ToJson() : RunRecord.ToJson(runs));
        if (runs.Count > 1)
            RepeatTable.Write(json ? error : output, runs);
    }

    private static async Task<RunRecord> PlayAsync(
        RunPlan plan, string driverName, string command, TimeProvider clock, CancellationToken cancellationToken)
    {
        RunFolder.RequireRoom(plan.Options.Folder, plan.Options.K);
        var machine = await MachineRecord.ReadAsync(cancellationToken);
        var startedAt = clock.GetUtcNow();
        using var http = Loopback.CreateClient();
        var sequence = new Sequence(
            plan, stage => LoadDrivers.Choose(driverName, stage.LoadFolder, http, clock), Progress.Lines(), http, clock);
        try
        {
            await sequence.PlayAsync(cancellationToken);
            var run = RunRecord.Of(
                plan, sequence.Outcomes, startedAt, command, machine, sequence.Calibration, sequence.Telemetry, reason: null);
            RunFolder.Write(plan.Options.Folder, run, sequence.Answers);
            return run;
        }
        catch (Exception exception) when (exception is LabException or OperationCanceledException)
        {
            var reason = exception is LabException ? exception.Message : "It was stopped before its end.";
            var run = RunRecord.Of(
                plan, sequence.Outcomes, startedAt, command, machine, sequence.Calibration, sequence.Telemetry, reason);
            RunFolder.Write(plan.Options.Folder, run, sequence.Answers);
            Terminal.Error.WriteLine($"The run is incomplete. What there is of it: {plan.Options.Folder}");
            throw;
        }
    }
}
