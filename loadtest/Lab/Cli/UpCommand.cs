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

/// <summary><c>lab up</c>: the application alone, until Ctrl-C or <c>lab down</c>.</summary>
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

    /// <exception cref="BadInputException">A knob, a service or an environment that there is not.</exception>
    private ApplicationPlan PlanOf(ParseResult parsed) => new(
        Path.Combine(Repository.LabFolder, "up"),
        new Ports(parsed.GetValue(_ports)),
        SharedOptions.Knobs(parsed.GetValue(_set)!, parsed.GetValue(_replicas)!).Consistent(),
        DeclaredEnvironment.Load(parsed.GetValue(_environment) ?? DeclaredEnvironment.None.Name),
        parsed.GetValue(_seed))
    {
        With = SharedOptions.Services(parsed.GetValue(_with)!),
        KeepsMessages = true,
    };

    protected override async Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        var (plan, error, clock) = (PlanOf(parsed), context.Error.Text, context.Time);
        using var onlyOne = LabLock.Acquire("up");
        await PrepareAsync(plan, error, cancellationToken);
        var live = new LiveRun();
        await using var telemetry = await CollectAsync(plan, live, context, cancellationToken);
        telemetry.Store.BeginAt(DateTimeOffset.MaxValue); // until it is warm
        await using var dashboard = parsed.GetValue(_dashboard)
            ? await AspireDashboard.StartAsync(plan.Ports, plan.Logs, cancellationToken)
            : null;
        var told = plan with { TelemetryConnectionString = telemetry.ConnectionString, Otlp = dashboard?.Settings ?? plan.Otlp };
        await using var application = await StartAsync(told, context.Error, cancellationToken);
        var baseline = await WarmUpAsync(application, context, cancellationToken);
        telemetry.Store.BeginAt(clock.GetUtcNow());
        await using var sampler = await RunSampler.StartAsync(
            telemetry, plan.Broker, plan.RedisConnectionString, application.Nodes, clock, error.WriteLine);
        var state = LabState.Of("up", application, clock) with { Baseline = baseline };
        using var watched = new WatchedApplication(application, telemetry, state, context);
        live.Processes = watched.Processes;
        state.Save();
        try
        {
            await context.Out.Text.WriteLineAsync(UpGuide.Of(plan, telemetry.Address, dashboard?.Address));
            await watched.SuperviseAsync(!parsed.GetValue(_noRestart), cancellationToken);
            await context.Out.Text.WriteLineAsync("Stopping…");
        }
        finally
        {
            live.Processes = null;
            LabState.Delete();
        }

        return ExitCode.Held;
    }

    private static Task<TelemetryCollector> CollectAsync(
        ApplicationPlan plan, LiveRun live, LabContext context, CancellationToken cancellationToken) => TelemetryCollector.StartAsync(
        plan.Folder,
        plan.Ports.Collector,
        context.Time,
        cancellationToken,
        (host, store) =>
        {
            host.MapLivePage(store, live, context.Time);
            host.MapFlights(plan);
        },
        notice: context.Error.Text.WriteLine,
        window: TelemetryCollector.LastHour);

    private static async Task<Application> StartAsync(ApplicationPlan plan, Outlet error, CancellationToken cancellationToken)
    {
        var (watch, all, line) = (Stopwatch.StartNew(), plan.AllProcesses, Progress.Lines(error));
        var told = new Progress<(int Ready, int All)>(now => line.Report($"Starting: {now.Ready} of {now.All} ready…"));
        var application = await Application.StartAsync(plan, told, cancellationToken);
        line.Report("");
        error.Screen.WriteLine($"{all} processes ready in {watch.Elapsed.TotalSeconds:0.0} s.");
        return application;
    }

    private static async Task PrepareAsync(ApplicationPlan plan, TextWriter error, CancellationToken cancellationToken)
    {
        if (Directory.Exists(plan.Folder))
            Directory.Delete(plan.Folder, recursive: true);
        RunFolder.RequireRoom(plan.Folder, RunOptions.Quick);
        if (plan.NeedsAzurite)
            await AzuriteInstallation.RequireAsync(error.WriteLine, cancellationToken);
    }

    /// <summary>The first deliveries of a person should not wait for .NET to compile the code.</summary>
    /// <returns>The queue's counters after it; null: the application is too slow for it, or does not answer.</returns>
    private static async Task<QueueCounters?> WarmUpAsync(Application application, LabContext context, CancellationToken cancellationToken)
    {
        using var http = Loopback.CreateClient();
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var queue = new QueueControl(http, application.Plan.Broker);
        var work = new WarmUp(application, queue, http, context.Time).LeaveNoTraceAsync(ended.Token);
        try
        {
            await application.Crashed.EndsAsync(work, ended);
            return await work;
        }
        catch (Exception exception) when (SampleGaps.IsNoAnswer(exception, cancellationToken))
        {
            await context.Error.Text.WriteLineAsync($"The application could not be warmed up: {exception.Message.Split('\n')[0]}");
            return null;
        }
    }
}
