using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Runs;

/// <summary>Brings the running application to the state in which a stage begins.</summary>
internal sealed class StageSetup(
    StagePlan plan, ApplicationPlan wanted, Application application, QueueControl queue, HttpClient http, TimeProvider clock)
{
    /// <summary>
    /// Messages, processes, queue, cache. Where messages wait in the queue, it gives none to the Workflows until
    /// <see cref="QueueControl.UpdateAsync"/> opens it: they begin with the load.
    /// </summary>
    /// <exception cref="LabException">A process ended or did not become ready.</exception>
    public async Task PrepareAsync(IProgress<(int Ready, int All)> progress, CancellationToken cancellationToken)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await application.Crashed.EndsAsync(PrepareToTheEndAsync(progress, ended.Token), ended);
    }

    private async Task PrepareToTheEndAsync(IProgress<(int Ready, int All)> progress, CancellationToken cancellationToken)
    {
        var left = await LeftAsync(cancellationToken);
        await queue.UpdateAsync(plan.Knobs, gives: left == 0, cancellationToken);
        var started = await application.ApplyAsync(wanted, progress, cancellationToken);
        await RedisServer.LimitAsync(application.Plan.RedisConnectionString, Knobs.KnobSet.Empty);
        var warmUp = new WarmUp(application, queue, http, clock);
        var isEmpty = left == 0;
        await Task.WhenAll(
            warmUp.BackendsAsync(started, cancellationToken),
            isEmpty ? AcceptAsync(warmUp, started, cancellationToken) : Task.CompletedTask);
        if (isEmpty)
            await warmUp.DeliverAsync(cancellationToken);
        if (started.Any(it => it.Service != Service.Workflow))
            await warmUp.CompiledAsync(cancellationToken);
        await FillAsync(plan.MessagesAtStart - left, cancellationToken);
        await RedisServer.ClearAsync(application.Plan.RedisConnectionString);
        await RedisServer.LimitAsync(application.Plan.RedisConnectionString, plan.Knobs);
    }

    private async Task AcceptAsync(WarmUp warmUp, IEnumerable<(Service Service, int Replica)> started, CancellationToken cancellationToken)
    {
        await queue.UpdateAsync(plan.Knobs, gives: false, cancellationToken);
        await warmUp.IngestionAsync(started, cancellationToken);
        await queue.PurgeAsync(clock, cancellationToken);
        await queue.UpdateAsync(plan.Knobs, gives: true, cancellationToken);
    }

    /// <returns>Messages that stay for this stage; none when it has to begin with an empty queue, or with other messages.</returns>
    private async Task<int> LeftAsync(CancellationToken cancellationToken)
    {
        var queued = (int)(await queue.ReadAsync(cancellationToken)).Queued;
        if (plan.Stage.Start.KeepWithin is { } share && queued > 0 && queued <= plan.MessagesAtStart * (1 + share))
            return queued;
        await queue.PurgeAsync(clock, cancellationToken);
        return 0;
    }

    private async Task FillAsync(int missing, CancellationToken cancellationToken)
    {
        // What stage 3 left differs a little from run to run; that is no reason to add to it.
        if (missing <= plan.MessagesAtStart * (plan.Stage.Start.KeepWithin ?? 0))
            return;
        await queue.UpdateAsync(plan.Knobs, gives: false, cancellationToken);
        await QueuePreload.SendAsync(
            application.Plan.BrokerConnectionString, BrokerCounters.QueueName, missing, plan.Profile.InstructionsLength, cancellationToken);
    }
}
