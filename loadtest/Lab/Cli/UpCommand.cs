using System.CommandLine;
using System.Diagnostics;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Run;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class UpCommand : Verb
{
    private readonly Option<string[]> _set = SharedOptions.Set();
    private readonly Option<string[]> _replicas = SharedOptions.Replicas();
    private readonly Option<string[]> _with = SharedOptions.With();
    private readonly Option<string?> _environment = SharedOptions.Environment(DeclaredEnvironment.None.Name);
    private readonly Option<int> _ports = SharedOptions.PortOffset();
    private readonly Option<int> _seed = SharedOptions.Seed();

    private readonly Option<bool> _noRestart = OptionOf.Flag("--no-restart", "Do not restart a process that ends by itself.");

    private readonly Option<bool> _dashboard = SharedOptions.Dashboard();

    public UpCommand()
        : base("up", "Starts the application and keeps it running until Ctrl-C or `./lab down`.")
    {
        Takes(_set, _replicas, _with, _environment, _ports, _seed, _noRestart, _dashboard);
        HasExamples(
            "up", "up --dashboard", "up --with gateway,tracking", "up --replicas workflow=3,delivery=2",
            "up --set workflow.maxConcurrentCalls=20 --environment azure-2020");
    }

    private ApplicationPlan Plan() => new(
        Path.Combine(Repository.LabFolder, "up"),
        new Ports(Get(_ports)),
        SharedOptions.Knobs(Get(_set), Get(_replicas)).Consistent(),
        DeclaredEnvironment.Load(Get(_environment) ?? DeclaredEnvironment.None.Name),
        Get(_seed))
    {
        With = SharedOptions.Services(Get(_with)),
        KeepsMessages = true,
    };

    protected override async Task<ExitCode> RunAsync()
    {
        var plan = Plan();
        using var onlyOne = LabLock.Acquire("up");
        await PrepareAsync(plan);
        var live = new LiveRun();
        await using var telemetry = await CollectAsync(plan, live);
        telemetry.Store.BeginAt(DateTimeOffset.MaxValue); // until it is warm
        await using var dashboard = Get(_dashboard) ? await AspireDashboard.StartAsync(plan.Ports, plan.Logs, Left) : null;
        var told = plan with { TelemetryConnectionString = telemetry.ConnectionString, Otlp = dashboard?.Settings ?? plan.Otlp };
        await using var application = await StartAsync(told);
        var baseline = await WarmUpAsync(application);
        telemetry.Store.BeginAt(Clock.GetUtcNow());
        await using var sampler = await RunSampler.StartAsync(
            telemetry, plan.Broker, plan.RedisConnectionString, application.Nodes, Clock, Error.WriteLine);
        var state = LabState.Of("up", application, Clock) with { Baseline = baseline };
        using var watched = new WatchedApplication(application, telemetry, state, Context);
        live.Processes = watched.Processes;
        state.Save();
        try
        {
            await Out.Text.WriteLineAsync(UpGuide.Of(plan, telemetry.Address, dashboard?.Address));
            await watched.SuperviseAsync(!Get(_noRestart), Left);
            await Out.Text.WriteLineAsync("Stopping…");
        }
        finally
        {
            live.Processes = null;
            LabState.Delete();
        }

        return ExitCode.Held;
    }

    private Task<TelemetryCollector> CollectAsync(ApplicationPlan plan, LiveRun live) => TelemetryCollector.StartAsync(
        plan.Folder,
        plan.Ports.Collector,
        Clock,
        Left,
        (host, store) =>
        {
            host.MapLivePage(store, live, Clock);
            host.MapFlights(plan);
        },
        notice: Error.WriteLine,
        window: TelemetryCollector.LastHour);

    private async Task<Application> StartAsync(ApplicationPlan plan)
    {
        var (watch, all, line) = (Stopwatch.StartNew(), plan.AllProcesses, Progress.Lines(Context.Error));
        var told = new Progress<(int Ready, int All)>(now => line.Report($"Starting: {now.Ready} of {now.All} ready…"));
        var application = await Application.StartAsync(plan, told, Left);
        line.Report("");
        Context.Error.Screen.WriteLine($"{all} processes ready in {watch.Elapsed.TotalSeconds:0.0} s.");
        return application;
    }

    private async Task PrepareAsync(ApplicationPlan plan)
    {
        if (Directory.Exists(plan.Folder))
            Directory.Delete(plan.Folder, recursive: true);
        RunFolder.RequireRoom(plan.Folder, RunOptions.Quick);
        if (plan.NeedsAzurite)
            await AzuriteInstallation.RequireAsync(Error.WriteLine, Left);
    }

    /// <summary>The first deliveries of a person should not wait for .NET to compile the code.</summary>
    /// <returns>The queue's counters after it; null: the application is too slow for it, or does not answer.</returns>
    private async Task<QueueCounters?> WarmUpAsync(Application application)
    {
        using var http = Loopback.CreateClient();
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(Left);
        var queue = new QueueControl(http, application.Plan.Broker);
        var work = new WarmUp(application, queue, http, Clock).LeaveNoTraceAsync(ended.Token);
        try
        {
            await application.Crashed.EndsAsync(work, ended);
            return await work;
        }
        catch (Exception exception) when (SampleGaps.IsNoAnswer(exception, Left))
        {
            await Error.WriteLineAsync($"The application could not be warmed up: {exception.Message.Split('\n')[0]}");
            return null;
        }
    }
}
