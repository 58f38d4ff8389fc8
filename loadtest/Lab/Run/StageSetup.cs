using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Run;

/// <summary>Brings the running application to the state in which a stage begins.</summary>
internal sealed class StageSetup(
    StagePlan plan,
    ApplicationPlan wanted,
    Application application,
    QueueControl queue,
    HttpClient http,
    TimeProvider clock
)
{
    /// <summary>
    /// From the last step until the messages that wait at the start are due, with the load. A queue that is closed until then instead would
    /// tell the receivers, which ask again after longer and longer pauses.
    /// </summary>
    private static readonly TimeSpan UntilDue = TimeSpan.FromSeconds(1.3);

    public async Task PrepareAsync(IProgress<(int Ready, int All)> progress, CancellationToken cancellationToken)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await application.Crashed.EndsAsync(PrepareToTheEndAsync(progress, ended.Token), ended);
    }

    private async Task PrepareToTheEndAsync(
        IProgress<(int Ready, int All)> progress,
        CancellationToken cancellationToken
    )
    {
        // Messages in Workflow's buffers have the lock duration of the stage before.
        await application.StopAsync(Service.Workflow);
        var messages = await MessagesAsync(cancellationToken);
        await queue.UpdateAsync(plan.Knobs, cancellationToken);
        await queue.PurgeAsync(clock, cancellationToken);
        var started = await application.ApplyAsync(wanted, progress, cancellationToken);
        await WarmUpAsync(started, cancellationToken);
        await RedisServer.ClearAsync(application.Plan.RedisConnectionString);
        await RedisServer.LimitAsync(application.Plan.RedisConnectionString, plan.Knobs);
        var (broker, instructions) = (application.Plan.BrokerConnectionString, plan.Profile.InstructionsLength);
        var due = clock.GetUtcNow() + UntilDue;
        await QueuePreload.SendAsync(broker, BrokerCounters.QueueName, messages, instructions, due, cancellationToken);
    }

    private async Task WarmUpAsync(
        IReadOnlyCollection<(Service Service, int Replica)> started,
        CancellationToken cancellationToken
    )
    {
        await RedisServer.LimitAsync(application.Plan.RedisConnectionString, KnobSet.Empty);
        var warmUp = new WarmUp(application, queue, http, clock);
        await Task.WhenAll(
            warmUp.BackendsAsync(started, cancellationToken),
            warmUp.IngestionAsync(started, cancellationToken)
        );
        await queue.PurgeAsync(clock, cancellationToken);
        await warmUp.WorkflowAsync(started, cancellationToken);
        if (started.Any(it => it.Service != Service.Workflow))
            await warmUp.CompiledAsync(cancellationToken);
        await queue.PurgeAsync(clock, cancellationToken);
    }

    /// <returns>As many as the stage before has left, where this stage goes on with them; otherwise as many as it declares.</returns>
    private async Task<int> MessagesAsync(CancellationToken cancellationToken)
    {
        var left = (int)(await queue.ReadAsync(cancellationToken)).Queued;
        return
            plan.Stage.Start.KeepWithin is { } share
            && Math.Abs(left - plan.MessagesAtStart) <= plan.MessagesAtStart * share
            ? left
            : plan.MessagesAtStart;
    }
}

/// <summary>Reports how many processes of a stage are ready.</summary>
internal sealed class StageProgress(IProgress<string> progress, StagePlan stage) : IProgress<(int Ready, int All)>
{
    public void Report((int Ready, int All) value) =>
        progress.Report($"Stage {stage.Stage.Id}: {value.Ready} of {value.All} processes ready…");
}
