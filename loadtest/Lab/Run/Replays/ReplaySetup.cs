using System.Net;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Run;

/// <summary>Prepares a target for a stage, as far as this is possible from outside.</summary>
internal sealed class ReplaySetup(StagePlan plan, TargetQueue queue, HttpClient http, TimeProvider clock)
{
    private const int WarmUpsPerReplica = 5;

    private static readonly TimeSpan ToFill = TimeSpan.FromSeconds(5),
        ToBegin = TimeSpan.FromSeconds(1.3);

    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(60),
        Pause = TimeSpan.FromMilliseconds(200);

    /// <summary>Deliveries to send before the load; 0 if the stage has initial messages.</summary>
    public int WarmUps => plan.MessagesAtStart > 0 ? 0 : WarmUpsPerReplica * Service.All.Max(plan.Application.Replicas);

    /// <summary>Requires an empty queue, unless the stage allows messages.</summary>
    public void Require(QueueState state)
    {
        if (state.Messages <= 0 || Fits(state.Messages))
            return;
        var wanted = plan.MessagesAtStart == 0 ? "none" : $"none or {plan.MessagesAtStart}";
        throw new LabException(
            $"The queue contains {state.Messages} messages, but stage {plan.Stage.Id} starts with {wanted}. "
                + "Wait until Workflow has processed them, or use --purge."
        );
    }

    public async Task PrepareAsync(bool purge, CancellationToken cancellationToken)
    {
        if (purge)
            await queue.PurgeAsync(cancellationToken);
        var messages = (await queue.ReadAsync(cancellationToken)).Messages;
        if (plan.MessagesAtStart == 0)
            await WarmUpAsync(cancellationToken);
        else if (!Fits(messages))
            await FillAsync(cancellationToken);
    }

    private bool Fits(long messages) =>
        plan.MessagesAtStart > 0
        && Math.Abs(messages - plan.MessagesAtStart) <= plan.MessagesAtStart * (plan.Stage.Start.KeepWithin ?? 0);

    /// <summary>Fills the queue with messages that are due when the load starts. With a closed queue, receivers would pause.</summary>
    private async Task FillAsync(CancellationToken cancellationToken)
    {
        var begins = clock.GetUtcNow() + ToFill;
        await queue.FillAsync(
            plan.MessagesAtStart,
            plan.Profile.InstructionsLength,
            begins + ToBegin,
            cancellationToken
        );
        var rest = begins - clock.GetUtcNow();
        if (rest > TimeSpan.Zero)
            await Task.Delay(rest, clock, cancellationToken);
    }

    /// <summary>Sends a few deliveries through every replica, so that the stage doesn't measure JIT compilation.</summary>
    private async Task WarmUpAsync(CancellationToken cancellationToken)
    {
        var requests = DeliveryRequests.Load();
        await Parallel.ForAsync(0, WarmUps, cancellationToken, async (number, token) =>
            await RequestAsync(requests, number, token)
        );
        for (
            var began = clock.GetTimestamp();
            (await queue.ReadAsync(cancellationToken)).Messages is > 0 and var left;
            await Task.Delay(Pause, clock, cancellationToken)
        )
        {
            if (clock.GetElapsedTime(began) > MaxWait)
            {
                throw new LabException(
                    $"{left} of {WarmUps} warm-up deliveries are still in the queue after {MaxWait.TotalSeconds} s. "
                        + "Check that Workflow is running and receives from this queue."
                );
            }
        }
    }

    private async Task RequestAsync(DeliveryRequests requests, int number, CancellationToken cancellationToken)
    {
        var ingestion = plan.Options.Targets[number % plan.Options.Targets.Count];
        using var body = requests.Create($"warm-up-{number}");
        using var response = await http.PostAsync(new Uri(ingestion, "api/deliveryrequests"), body, cancellationToken);
        if (response.StatusCode != HttpStatusCode.Accepted)
        {
            throw new LabException(
                $"{ingestion}api/deliveryrequests returned {(int)response.StatusCode} instead of 202. "
                    + "Check that this is Ingestion, and that it can connect to its queue."
            );
        }
    }
}
