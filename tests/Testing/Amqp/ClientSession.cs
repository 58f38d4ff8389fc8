using DroneDelivery.Amqp;

namespace DroneDelivery.Testing.Amqp;

internal sealed class ClientSession
{
    private readonly List<Attaching> _attaching = [];

    public TaskCompletionSource Ended { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>
    /// Call under the lock and before sending the attach. Completes with the peer's attach; fails if the link ends
    /// first.
    /// </summary>
    public Task AttachAsync(AmqpLink link, ILinkHandler owner)
    {
        var attaching = new Attaching(link, owner);
        link.Handler = attaching;
        _attaching.Add(attaching);
        return attaching.Task;
    }

    /// <summary>
    /// Call under the lock. Returns the link whose attach the peer has accepted; otherwise, <c>null</c>.
    /// </summary>
    public AmqpLink? TakeResponse(Attach attach)
    {
        if (_attaching.Find(one => one.Link.Role != attach.Role && one.Link.Name == attach.Name) is not { } answered)
            return null;
        _attaching.Remove(answered);
        answered.Link.OnAttached(attach);
        // A link that was abandoned in the meantime has no owner.
        if (!IsRefusal(attach) && !answered.Link.IsClosed)
            answered.Complete();
        return answered.Link;
    }

    /// <summary>
    /// A rejecting peer attaches without the terminus that the link is for, and then detaches (AMQP 1.0 §2.6.3).
    /// </summary>
    private static bool IsRefusal(Attach attach) =>
        attach.Role == LinkRole.Receiver ? attach is { Target: null, Coordinator: null } : attach.Source is null;

    private sealed class Attaching(AmqpLink link, ILinkHandler owner)
        : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously),
            ILinkHandler
    {
        public AmqpLink Link => link;

        public void Complete()
        {
            link.Handler = owner;
            SetResult();
        }

        public void OnDetached(AmqpLink link, AmqpError? error) =>
            TrySetException(
                new AmqpException(error ?? new AmqpError(ErrorConditions.DetachForced, "The link was detached."))
            );
    }
}
