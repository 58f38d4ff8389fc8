using System.CommandLine;
using DroneDelivery.Lab.Live;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Lab.Telemetry;

namespace DroneDelivery.Lab.Commands;

internal sealed record UpArguments
{
    /// <summary>Knobs as they were typed.</summary>
    public IReadOnlyList<string> Set { get; init; } = [];

    /// <summary>Processes of services as they were typed.</summary>
    public IReadOnlyList<string> Replicas { get; init; } = [];

    /// <summary>Optional services as they were typed.</summary>
    public IReadOnlyList<string> With { get; init; } = [];

    /// <summary>Null: nothing is emulated.</summary>
    public string? Environment { get; init; }

    public int Seed { get; init; } = 1;

    public Ports Ports { get; init; } = new(0);

    /// <summary>Whether a process that ends by itself is started again.</summary>
    public bool Restarts { get; init; } = true;

    /// <exception cref="BadInputException">A knob, a service or an environment that there is not.</exception>
    public ApplicationPlan Plan() => new(
        Path.Combine(Repository.LabFolder, "up"),
        Ports,
        SharedOptions.Knobs(Set, Replicas).Consistent(),
        DeclaredEnvironment.Load(Environment ?? DeclaredEnvironment.None.Name),
        Seed)
    {
        With = SharedOptions.Services(With),
        KeepsMessages = true,
    };
}

/// <summary><c>lab up</c>: the application alone, until Ctrl-C or <c>lab down</c>.</summary>
internal sealed class UpCommand : Verb<UpArguments>
{
    private readonly Option<string[]> _set = SharedOptions.Set();
    private readonly Option<string[]> _replicas = SharedOptions.Replicas();
    private readonly Option<string[]> _with = SharedOptions.With();
    private readonly Option<string?> _environment = SharedOptions.Environment(DeclaredEnvironment.None.Name);
    private readonly Option<int> _ports = SharedOptions.PortOffset();
    private readonly Option<int> _seed = SharedOptions.Seed();

    private readonly Option<bool> _noRestart = new("--no-restart")
    {
        Description = "Do not restart a process that ends by itself.",
    };

    public UpCommand()
        : base("up", "Starts the application and keeps it running until Ctrl-C or `./lab down`.")
    {
        Takes(_set, _replicas, _with, _environment, _ports, _seed, _noRestart);
        HasExamples(
            "up", "up --with gateway,tracking", "up --replicas workflow=3,delivery=2",
            "up --set workflow.maxConcurrentCalls=20 --environment azure-2020");
    }

    protected override UpArguments Read(ParseResult parsed) => new()
    {
        Set = parsed.GetValue(_set)!,
        Replicas = parsed.GetValue(_replicas)!,
        With = parsed.GetValue(_with)!,
        Environment = parsed.GetValue(_environment),
        Seed = parsed.GetValue(_seed),
        Ports = new(parsed.GetValue(_ports)),
        Restarts = !parsed.GetValue(_noRestart),
    };

    public override async Task<ExitCode> RunAsync(UpArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var (plan, error, clock) = (arguments.Plan(), context.Error.Text, context.Time);
        using var onlyOne = LabLock.Acquire("up");
        await PrepareAsync(plan, error, cancellationToken);
        var live = new LiveRun();
        await using var telemetry = await TelemetryCollector.StartAsync(
            plan.Folder, plan.Ports.Collector, clock, cancellationToken, live, notice: error.WriteLine);
        telemetry.Store.BeginAt(DateTimeOffset.MaxValue); // until it is warm
        await using var application = await Progress.StartAsync(
            plan with { TelemetryConnectionString = telemetry.ConnectionString }, context.Error, cancellationToken);
        var baseline = await WarmUpAsync(application, context, cancellationToken);
        telemetry.Store.BeginAt(clock.GetUtcNow());
        await using var sampler = await RunSampler.StartAsync(
            telemetry, plan.Broker, plan.RedisConnectionString, application.Nodes, clock, error.WriteLine);
        var state = LabState.Of("up", application, clock) with { Baseline = baseline };
        using var watched = new WatchedApplication(application, telemetry, state, context);
        live.Processes = watched.Processes;
        try
        {
            await ServeAsync(watched, UpGuide.Of(plan, telemetry.Address), arguments.Restarts, context, cancellationToken);
        }
        finally
        {
            live.Processes = null;
        }

        return ExitCode.Held;
    }

    private static async Task ServeAsync(
        WatchedApplication watched, string guide, bool restarts, LabContext context, CancellationToken cancellationToken)
    {
        watched.Begin();
        try
        {
            await context.Out.Text.WriteLineAsync(guide);
            await watched.SuperviseAsync(restarts, cancellationToken);
            await context.Out.Text.WriteLineAsync("Stopping…");
        }
        finally
        {
            LabState.Delete();
        }
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
