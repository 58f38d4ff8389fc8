namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What a client asks of a queue together with others: see <see cref="Queue.Do"/>.</summary>
internal abstract class QueueRequest
{
    /// <summary>Nothing was changed, so there is nothing to keep.</summary>
    public abstract bool IsRefused { get; }

    /// <summary>The result is there and will stay so. Called once, in the order of the requests; must not block.</summary>
    public abstract void Complete();
}

/// <summary>What a client asks of one queue at once: see <see cref="Queue.Do"/>.</summary>
internal abstract class RequestBatch
{
    protected RequestBatch() => CompleteAll = () => Complete(Requests);

    public List<QueueRequest> Requests { get; } = [];

    /// <summary>Made once for all that the batch is used for.</summary>
    public Action CompleteAll { get; }

    /// <param name="requests">They have their results.</param>
    public abstract void Complete(List<QueueRequest> requests);
}

/// <summary>All of its messages are accepted, or none.</summary>
internal abstract class SendRequest(MessageContent[] messages) : QueueRequest
{
    public MessageContent[] Messages => messages;

    public EnqueueResult Result { get; set; } = EnqueueResult.Failed;

    public override bool IsRefused => Result != EnqueueResult.Accepted;
}

/// <summary>A delivery is named by its lock token, so that a receiver which never settles keeps no message in memory.</summary>
internal abstract class SettleRequest(Guid token, Settlement settlement) : QueueRequest
{
    public Guid Token => token;

    public Settlement Settlement => settlement;

    public SettleResult Result { get; set; } = SettleResult.LockLost;

    public override bool IsRefused => Result != SettleResult.Settled;
}
