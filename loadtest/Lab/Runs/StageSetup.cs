using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Runs;

/// <summary>Brings the running application to the state in which a stage begins.</summary>
internal sealed class StageSetup(StagePlan plan, ApplicationPlan wanted, Application application, QueueControl queue, HttpClient http, TimeProvider clock)
{
    private const int WarmUpsPerReplica = 5;
    private static readonly TimeSpan WarmUpPatience = TimeSpan.FromSeconds(20), Pause = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// Messages, processes, queue, cache. Where messages wait in the queue, it gives none to the Workflows until
    /// <see cref="QueueControl.UpdateAsync"/> opens it: they begin with the load.
    /// </summary>
    /// <exception cref="LabException">A process ended or did not become ready.</exception>
    public async Task PrepareAsync(IProgress<(int Ready, int All)> progress, CancellationToken cancellationToken)
    {
        var left = await LeftAsync(cancellationToken);
        await queue.UpdateAsync(plan.Knobs, gives: left == 0, cancellationToken);
        await application.ApplyAsync(wanted, progress, cancellationToken);
        if (left == 0)
            await WarmUpAsync(cancellationToken);
        await FillAsync(plan.MessagesAtStart - left, cancellationToken);
        await RedisServer.ClearAsync(application.Plan.RedisConnectionString);
        await RedisServer.LimitAsync(application.Plan.RedisConnectionString, plan.Knobs);
    }

    /// <returns>Messages that stay for this stage; none when it has to begin with an empty queue, or with other messages.</returns>
    private async Task<int> LeftAsync(CancellationToken cancellationToken)
    {
        var queued = (int)(await queue.ReadAsync(cancellationToken)).Queued;
        if (plan.Stage.Start.KeepWithin is { } share && queued > 0 && queued <= plan.MessagesAtStart * (1 + share))
            return queued;
        await queue.PurgeAsync(cancellationToken);
        return 0;
    }

    /// <summary>A few deliveries through every replica, so that the stage does not measure how long .NET takes to compile its code.</summary>
    private async Task WarmUpAsync(CancellationToken cancellationToken)
    {
        if (application.Plan.Replicas(Service.Workflow) == 0)
            return;
        await RedisServer.LimitAsync(application.Plan.RedisConnectionString, Knobs.KnobSet.Empty);
        var count = WarmUpsPerReplica * Service.All.Max(application.Plan.Replicas);
        var journeys = new Journeys(http, clock, application.Plan.Urls(Service.Ingestion), application.Plan.Urls(Service.Delivery));
        await journeys.SendAsync(count, count, WarmUpPatience, cancellationToken);
        while ((await queue.ReadAsync(cancellationToken)).Queued > 0)
            await Task.Delay(Pause, clock, cancellationToken);
    }

    private async Task FillAsync(int missing, CancellationToken cancellationToken)
    {
        // What stage 3 left differs a little from run to run; that is no reason to add to it.
        if (missing <= plan.MessagesAtStart * (plan.Stage.Start.KeepWithin ?? 0))
            return;
        await queue.UpdateAsync(plan.Knobs, gives: false, cancellationToken);
        await QueuePreload.SendAsync(application.Plan.BrokerConnectionString, BrokerCounters.QueueName, missing, cancellationToken);
    }
}
