using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Run;

/// <summary>Prepares the running application for a stage.</summary>
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
    /// The delay of the initial messages, until the load starts. With a closed queue, receivers would poll at growing intervals.
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
        // Messages in Workflow's buffers have the lock duration of the previous stage.
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
        if (started.Any(process => process.Service != Service.Workflow))
            await warmUp.CompiledAsync(cancellationToken);
        await queue.PurgeAsync(clock, cancellationToken);
    }

    /// <returns>The messages left by the previous stage if this one continues with them; otherwise, the declared number.</returns>
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

internal sealed class StageProgress(IProgress<string> progress, StagePlan stage) : IProgress<(int Ready, int All)>
{
    public void Report((int Ready, int All) value) =>
        progress.Report($"Stage {stage.Stage.Id}: {value.Ready} of {value.All} processes ready…");
}
