using System.CommandLine;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab run</c>: replays a stage and judges it.</summary>
internal static class RunCommand
{
    public static Command Create()
    {
        var stage = new Argument<string>("stage") { Description = "Which stage: a file of loadtest/stages." };
        var full = new Option<bool>("--full") { Description = "Full length, as published, instead of an eighth of it." };
        var k = Options.WholeNumber("--k", (int)RunPlan.Quick, 1, 16, "Divide every duration and stock by N.");
        var driver = new Option<string>("--driver") { Description = "Load generator; auto takes k6 where it is on PATH.", DefaultValueFactory = _ => "auto" };
        driver.AcceptOnlyFromAmong("auto", "k6", "own");
        var open = new Option<bool>("--open") { Description = "Open model: requests arrive on time even when answers are late." };
        Option<string[]> set = Options.Set(), replicas = Options.Replicas();
        var environment = Options.Environment("the stage's");
        Option<int> ports = Options.PortOffset(), seed = Options.Seed();
        var json = Options.Json("Print run.json instead of the table.");
        var command = new Command("run", "Replays a load test and judges it. Exit code 0 only if every check holds.")
        {
            stage, full, k, set, replicas, environment, driver, open, seed, ports, json,
        };
        command.WithHelp(KnobHelp.Write, "run 2", "run 2 --full", "run 2 --set workflow.maxConcurrentCalls=20 --set workflow.prefetchCount=100", "run 2 --driver own --json");
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var clock = TimeProvider.System;
            var plan = RunPlan.Of(
                Stage.Load(parsed.GetValue(stage)!), parsed.GetValue(full) ? 1 : parsed.GetValue(k), Options.Knobs(parsed.GetValue(set)!, parsed.GetValue(replicas)!),
                parsed.GetValue(environment), new Ports(parsed.GetValue(ports)), parsed.GetValue(seed), parsed.GetValue(open), clock.GetUtcNow());
            var run = await PlayAsync(plan, parsed.GetValue(driver)!, "./lab " + string.Join(' ', parsed.Tokens.Select(token => token.Value)), clock, cancellationToken);
            if (parsed.GetValue(json))
                Console.WriteLine(run.ToJson());
            else
                VerdictTable.Write(plan, run);
            return run.Outcome == RunRecord.Holds ? 0 : 1;
        });
        return command;
    }

    private static async Task<RunRecord> PlayAsync(RunPlan plan, string driverName, string command, TimeProvider clock, CancellationToken cancellationToken)
    {
        using var onlyOne = LabLock.Acquire("run " + plan.Stage.Id);
        var machine = await MachineRecord.ReadAsync(cancellationToken);
        var startedAt = clock.GetUtcNow();
        try
        {
            await using var application = await Progress.StartAsync(plan.Application, cancellationToken);
            LabState.Of("run", application, clock).Save();
            using var http = Loopback.CreateClient();
            var view = new RunView(plan, Console.Error, isTerminal: !Console.IsErrorRedirected);
            var measured = await new StageRun(plan, application, DriverOf(driverName, plan, http, clock), view, clock).PlayAsync(cancellationToken);
            view.End();
            var run = RunRecord.Of(plan, measured, command, machine);
            RunFolder.Write(plan.Folder, run);
            return run;
        }
        catch (Exception exception) when (exception is LabException or OperationCanceledException)
        {
            var reason = exception is LabException ? exception.Message : "It was stopped before its end.";
            RunFolder.Write(plan.Folder, RunRecord.OfIncomplete(plan, startedAt, command, machine, reason));
            Terminal.Error.WriteLine($"The run is incomplete. What there is of it: {plan.Folder}");
            throw;
        }
        finally
        {
            LabState.Delete();
        }
    }

    private static ILoadDriver DriverOf(string name, RunPlan plan, HttpClient http, TimeProvider clock) => name switch
    {
        "own" => new OwnDriver(http, clock),
        "k6" => K6Driver.Find(plan.Folder) ?? throw new LabException("k6 is not on PATH: install it from https://grafana.com/docs/k6/latest/set-up/install-k6/, or use --driver own."),
        _ => K6Driver.Find(plan.Folder) is { } k6 ? k6 : new OwnDriver(http, clock),
    };
}
