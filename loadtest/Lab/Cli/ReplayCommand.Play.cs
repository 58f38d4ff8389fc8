using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Run;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>A replay from its announcement to the record that is kept.</summary>
internal sealed partial class ReplayCommand
{
    /// <returns>Null: nothing was to be played.</returns>
    private async Task<RunRecord?> PlayAsync(RunArguments run, RunPlan plan, BusConnection bus)
    {
        var (stage, elsewhere) = (plan.Played[0], plan.Options.Targets.FirstOrDefault(target => !target.IsLoopback));
        using var http = elsewhere is null ? Loopback.CreateClient() : new HttpClient();
        await using var queue = new TargetQueue(bus, Clock);
        var (setup, knobs) = (new ReplaySetup(stage, queue, http, Clock), new PlatformKnobs(stage, bus));
        Announce(stage, setup.WarmUps, knobs);
        if (Get(_dryRun))
            return null;
        var state = await queue.ReadAsync(Left);
        if (!Get(_purge))
            setup.Require(state);
        knobs.Require(state);
        if (elsewhere is not null && !Get(_yes))
        {
            Context.Agree(
                $"{elsewhere} is not on this machine.", "Send the load to it?", "Add --yes to send the load to it.", "Nothing was sent.");
        }
        RunFolder.RequireRoom(plan.Options.Folder, plan.Options.K);
        var replay = await ReplayOfAsync(run, plan, bus, queue, http);
        return await KeepAsync(replay, run, plan);
    }

    /// <summary>What is going to be sent, and how the target gets the stage's knobs.</summary>
    private void Announce(StagePlan stage, int warmUps, PlatformKnobs knobs)
    {
        var profile = stage.Profile;
        var before = warmUps > 0
            ? $", after {warmUps} to warm up"
            : $"; {stage.MessagesAtStart} messages wait in its queue before";
        Error.WriteLine(
            $"Stage {stage.Stage.Id} on {string.Join(' ', stage.Options.Targets)}: "
            + $"{profile.ExpectedRequests:0} requests at most in {profile.DurationSeconds:0} s, from {profile.MaxUsers} users{before}.");
        knobs.WriteValues();
        Error.WriteLine("These commands set its knobs:");
        foreach (var command in knobs.Commands())
            Error.WriteLine($"  {command}");
    }

    private async Task<RunRecord> KeepAsync(Replay replay, RunArguments run, RunPlan plan)
    {
        var (machine, startedAt, folder) = (await MachineRecord.ReadAsync(Left), Clock.GetUtcNow(), plan.Options.Folder);
        return await RunCommand.KeepAsync(folder, () => replay.PlayAsync(Get(_purge), Left), Keep, Context);

        async Task<RunRecord> Keep(string? reason)
        {
            var record = RunRecord.Of(plan, replay.Outcomes, startedAt, run.Command, machine, calibration: null, telemetry: null, reason);
            RunReport.Keep(folder, record, reason is null ? await RunTelemetry.TryLoadAsync(folder, Error.WriteLine, Left) : null);
            return record;
        }
    }

    private async Task<Replay> ReplayOfAsync(RunArguments run, RunPlan plan, BusConnection bus, TargetQueue queue, HttpClient http)
    {
        var counters = await BrokerCounts.FindAsync(http, bus.LocalBroker, Clock, Left);
        var name = run.Driver == LoadDrivers.Automatic && counters is null ? LoadDrivers.Own : run.Driver;
        var driver = LoadDrivers.Choose(name, plan.Played[0].LoadFolder, http, Clock);
        var counts = counters ?? (IQueueCounts)new RuntimeCounts(queue.Administration, () => driver.Accepted, Clock);
        var telemetry = TelemetryOf(http, plan.Options.Folder);
        return new(plan, queue, new RunningElsewhere(counts, Get(_services)), telemetry, driver, http, Context);
    }

    private ITargetTelemetry? TelemetryOf(HttpClient http, string folder) =>
        Get(_collector) is { } address ? new CollectorTelemetry(http, address, folder, Error.WriteLine, Clock)
        : Get(_insights) is { } name ? AzureTelemetry.Of(name, Get(_group), folder, Error.WriteLine, Clock)
        : null;
}
