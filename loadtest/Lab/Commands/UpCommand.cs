using System.CommandLine;
using DroneDelivery.Lab.Live;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Lab.Telemetry;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab up</c>: the application alone, until Ctrl-C or <c>lab down</c>.</summary>
internal static class UpCommand
{
    public static Command Create()
    {
        Option<string[]> set = Options.Set(), replicas = Options.Replicas();
        var environment = Options.Environment("none");
        Option<int> ports = Options.PortOffset(), seed = Options.Seed();
        var with = Options.With();
        var noRestart = new Option<bool>("--no-restart")
        {
            Description = "Leave a process that ends by itself ended, instead of starting it again.",
        };
        var command = new Command("up", "Starts the application and keeps it running until Ctrl-C or `./lab down`.")
        {
            set, replicas, with, environment, ports, seed, noRestart,
        };
        command.WithExamples(
            "up", "up --with gateway,tracking", "up --replicas workflow=3,delivery=2",
            "up --set workflow.maxConcurrentCalls=20 --environment azure-2020");
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var plan = new ApplicationPlan(
                Path.Combine(Repository.LabFolder, "up"),
                new Ports(parsed.GetValue(ports)),
                Options.Knobs(parsed.GetValue(set)!, parsed.GetValue(replicas)!).Consistent(),
                DeclaredEnvironment.Load(parsed.GetValue(environment) ?? "none"),
                parsed.GetValue(seed))
            {
                With = Options.Services(parsed.GetValue(with)!),
            };
            return await RunAsync(plan, restarts: !parsed.GetValue(noRestart), TimeProvider.System, cancellationToken);
        });
        return command;
    }

    private static async Task<int> RunAsync(ApplicationPlan plan, bool restarts, TimeProvider clock, CancellationToken cancellationToken)
    {
        using var onlyOne = LabLock.Acquire("up");
        if (Directory.Exists(plan.Folder))
            Directory.Delete(plan.Folder, recursive: true);
        RunFolder.RequireRoom(plan.Folder, RunOptions.Quick);
        if (plan.NeedsAzurite)
            await AzuriteInstallation.RequireAsync(Console.Error.WriteLine, cancellationToken);
        await using var telemetry = await TelemetryCollector.StartAsync(
            plan.Folder, plan.Ports.Collector, clock, cancellationToken, new LiveRun());
        telemetry.Store.BeginAt(DateTimeOffset.MaxValue); // until it is warm
        await using var application = await Progress.StartAsync(
            plan with { TelemetryConnectionString = telemetry.ConnectionString }, cancellationToken);
        var baseline = await WarmUpAsync(application, clock, cancellationToken);
        telemetry.Store.BeginAt(clock.GetUtcNow());
        await using var sampler = await RunSampler.StartAsync(telemetry, plan.Broker, plan.RedisConnectionString, application.Nodes, clock);
        var state = LabState.Of("up", application, clock) with { Baseline = baseline };
        state.Save();
        try
        {
            await Console.Out.WriteLineAsync(UpGuide.Of(plan, telemetry.Address));
            await SuperviseAsync(application, state, restarts, clock, cancellationToken);
            Console.WriteLine("Stopping…");
            return 0;
        }
        finally
        {
            LabState.Delete();
        }
    }

    /// <summary>The first deliveries of a person should not wait for .NET to compile the code.</summary>
    /// <returns>The queue's counters after it; null: the application is too slow for it, or does not answer.</returns>
    private static async Task<QueueCounters?> WarmUpAsync(Application application, TimeProvider clock, CancellationToken cancellationToken)
    {
        using var http = Loopback.CreateClient();
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var work = new WarmUp(application, new QueueControl(http, application.Plan.Broker), http, clock).LeaveNoTraceAsync(ended.Token);
        try
        {
            await application.Crashed.EndsAsync(work, ended);
            return await work;
        }
        catch (Exception exception) when (SampleGaps.IsNoAnswer(exception, cancellationToken))
        {
            await Console.Error.WriteLineAsync($"The application could not be warmed up: {exception.Message.Split('\n')[0]}");
            return null;
        }
    }

    /// <summary>Until Ctrl-C. A crash is told, and the rest goes on: that is what somebody who kills a replica wants to see.</summary>
    private static async Task SuperviseAsync(
        Application application, LabState first, bool restarts, TimeProvider clock, CancellationToken cancellationToken)
    {
        var saving = new Lock();
        Supervisor supervisor = null!;
        supervisor = new(application.RestartAsync, Console.Error.WriteLine, Save, clock);
        await supervisor.RunAsync(application.Crashes, restarts, cancellationToken);

        void Save()
        {
            var state = LabState.Of("up", application, clock) with
            {
                Since = first.Since,
                Baseline = first.Baseline,
                Histories = supervisor.Histories.ToDictionary(),
            };
            try
            {
                lock (saving)
                    state.Save();
            }
            catch (IOException exception)
            {
                Console.Error.WriteLine($"`./lab status` shows what was before: {exception.Message}");
            }
        }
    }
}
