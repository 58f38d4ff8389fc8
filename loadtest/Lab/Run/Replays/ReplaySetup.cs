using System.Net;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Run;

/// <summary>Brings a target to the state in which a stage begins, as far as that is anybody's from outside.</summary>
internal sealed class ReplaySetup(StagePlan plan, TargetQueue queue, HttpClient http, TimeProvider clock)
{
    private const int WarmUpsPerReplica = 5;

    /// <summary>As long as it takes to send them, and to begin the load after that.</summary>
    private static readonly TimeSpan ToFill = TimeSpan.FromSeconds(5),
        ToBegin = TimeSpan.FromSeconds(1.3);

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60),
        Pause = TimeSpan.FromMilliseconds(200);

    /// <summary>Deliveries that are sent before the load; none where messages wait for it.</summary>
    public int WarmUps => plan.MessagesAtStart > 0 ? 0 : WarmUpsPerReplica * Service.All.Max(plan.Application.Replicas);

    /// <summary>Whether what is in the queue may stay there.</summary>
    public void Require(QueueState state)
    {
        if (state.Messages <= 0 || Fits(state.Messages))
            return;
        var wanted = plan.MessagesAtStart == 0 ? "none" : $"none or {plan.MessagesAtStart}";
        throw new LabException(
            $"The queue holds {state.Messages} messages, and stage {plan.Stage.Id} begins with {wanted}. "
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

    /// <summary>The messages are due when the load begins. A queue that is closed until then instead makes its receivers pause.</summary>
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

    /// <summary>A few deliveries through every replica: the stage must not measure how long .NET takes to compile its code.</summary>
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
            if (clock.GetElapsedTime(began) > Patience)
            {
                throw new LabException(
                    $"{left} of {WarmUps} deliveries that were sent to warm up still wait in the queue after {Patience.TotalSeconds} s: "
                        + "does Workflow run, and does it read this queue?"
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
                $"{ingestion}api/deliveryrequests answers a delivery with {(int)response.StatusCode}, not with 202: "
                    + "is this Ingestion, and can it reach its queue?"
            );
        }
    }
}
