using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Run;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <param name="Run">Which stage, and with which knobs the target is taken to run; its environment is none unless it is typed.</param>
/// <param name="Services">Base addresses of replicas whose errors are counted.</param>
/// <param name="Collector">The lab's collector that has the target's telemetry.</param>
/// <param name="AppInsights">The Application Insights resource that has it instead.</param>
/// <param name="Purge">Whether the target's queue is emptied first.</param>
/// <param name="Yes">Whether load for another machine is agreed to.</param>
internal sealed record ReplayArguments(
    RunArguments Run, IReadOnlyList<Uri> Services, Uri? Collector, string? AppInsights, string ResourceGroup, bool Purge, bool Yes,
    bool DryRun);

/// <summary>A replay from its announcement to the record that is kept.</summary>
/// <param name="plan">Of one stage.</param>
internal sealed class ReplaySession(RunPlan plan, BusConnection bus, ReplayArguments arguments, LabContext context)
{
    private readonly StagePlan _stage = plan.Played[0];

    private bool IsHere => plan.Options.Targets.All(target => target.IsLoopback);

    private string Folder => plan.Options.Folder;

    private TextWriter Error => context.Error.Text;

    /// <returns>Null: nothing was to be played.</returns>
    /// <exception cref="LabException">The target is not as it is when the stage begins, or nobody has agreed to its load.</exception>
    public async Task<RunRecord?> RunAsync(CancellationToken cancellationToken)
    {
        using var http = IsHere ? Loopback.CreateClient() : new HttpClient();
        await using var queue = new TargetQueue(bus, context.Time);
        var setup = new ReplaySetup(_stage, queue, http, context.Time);
        Announce(setup.WarmUps);
        if (arguments.DryRun)
            return null;
        var state = await queue.ReadAsync(cancellationToken);
        if (!arguments.Purge)
            setup.Require(state);
        new PlatformKnobs(_stage, bus).Require(state);
        Agree();
        return await PlayAsync(queue, http, cancellationToken);
    }

    /// <summary>What is going to be sent, and how the target gets the stage's knobs.</summary>
    private void Announce(int warmUps)
    {
        var profile = _stage.Profile;
        var before = warmUps > 0
            ? $", after {warmUps} to warm up"
            : $"; {_stage.MessagesAtStart} messages wait in its queue before";
        Error.WriteLine(
            $"Stage {_stage.Stage.Id} on {string.Join(' ', plan.Options.Targets)}: "
            + $"{profile.ExpectedRequests:0} requests at most in {profile.DurationSeconds:0} s, from {profile.MaxUsers} users{before}.");
        var knobs = new PlatformKnobs(_stage, bus);
        knobs.WriteValues();
        Error.WriteLine("These commands set its knobs:");
        foreach (var command in knobs.Commands())
            Error.WriteLine($"  {command}");
    }

    /// <exception cref="BadInputException">Load for another machine that nobody has agreed to.</exception>
    private void Agree()
    {
        if (arguments.Yes || IsHere)
            return;
        var elsewhere = plan.Options.Targets.First(target => !target.IsLoopback);
        context.Agree(
            $"{elsewhere} is not on this machine.", "Send the load to it?", "Add --yes to send the load to it.", "Nothing was sent.");
    }

    private async Task<RunRecord> PlayAsync(TargetQueue queue, HttpClient http, CancellationToken cancellationToken)
    {
        RunFolder.RequireRoom(Folder, plan.Options.K);
        var machine = await MachineRecord.ReadAsync(cancellationToken);
        var startedAt = context.Time.GetUtcNow();
        var replay = await ReplayOfAsync(queue, http, cancellationToken);
        return await RunCommand.KeepAsync(Folder, () => replay.PlayAsync(arguments.Purge, cancellationToken), KeepAsync, context);

        async Task<RunRecord> KeepAsync(string? reason)
        {
            var run = RunRecord.Of(
                plan, replay.Outcomes, startedAt, arguments.Run.Command, machine, calibration: null, telemetry: null, reason);
            RunReport.Keep(
                Folder, run, reason is null ? await RunTelemetry.TryLoadAsync(Folder, Error.WriteLine, cancellationToken) : null);
            return run;
        }
    }

    private async Task<Replay> ReplayOfAsync(TargetQueue queue, HttpClient http, CancellationToken cancellationToken)
    {
        var counters = await BrokerCounts.FindAsync(http, bus.LocalBroker, context.Time, cancellationToken);
        var driverName = arguments.Run.Driver == LoadDrivers.Automatic && counters is null ? LoadDrivers.Own : arguments.Run.Driver;
        var driver = LoadDrivers.Choose(driverName, _stage.LoadFolder, http, context.Time);
        var counts = counters ?? (IQueueCounts)new RuntimeCounts(queue.Administration, () => driver.Accepted, context.Time);
        var target = new RunningElsewhere(counts, arguments.Services);
        return new(plan, queue, target, TelemetryOf(http), driver, http, context);
    }

    private ITargetTelemetry? TelemetryOf(HttpClient http) =>
        arguments.Collector is { } address ? new CollectorTelemetry(http, address, Folder, Error.WriteLine, context.Time)
        : arguments.AppInsights is { } name ? AzureTelemetry.Of(name, arguments.ResourceGroup, Folder, Error.WriteLine, context.Time)
        : null;
}
