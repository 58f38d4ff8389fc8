using DroneDelivery.Amqp;

namespace DroneDelivery.Testing.Amqp;

/// <summary>Settlements that wait for the sender's. Passes all other events to the link's own handler.</summary>
internal sealed class AnsweredSettlements(ReceiverLink link, ILinkHandler owner) : ILinkHandler
{
    private readonly Dictionary<uint, TaskCompletionSource<DeliveryState?>> _waiting = [];

    private Lock Gate => link.Session.Connection.Gate;

    public Task<DeliveryState?> SettleAsync(uint deliveryId, DeliveryState state)
    {
        lock (Gate)
        {
            if (!_waiting.TryGetValue(deliveryId, out var answer))
            {
                link.Settle(deliveryId, state, settled: false);
                answer = _waiting[deliveryId] = new(TaskCreationOptions.RunContinuationsAsynchronously);
            }
            return answer.Task;
        }
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery) => owner.OnDelivery(link, delivery);

    public void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        TaskCompletionSource<DeliveryState?>? answer = null;
        if (settled)
        {
            lock (Gate)
                _waiting.Remove(deliveryId, out answer);
        }
        if (answer is not null)
            answer.TrySetResult(state);
        else
            owner.OnDisposition(link, deliveryId, context, state, settled);
    }

    public void OnFlow(AmqpLink link) => owner.OnFlow(link);

    public void OnDetached(AmqpLink link, AmqpError? error)
    {
        foreach (var answer in _waiting.Values)
        {
            answer.TrySetException(
                new AmqpException(error ?? new AmqpError(ErrorConditions.DetachForced, "The link was detached."))
            );
        }

        owner.OnDetached(link, error);
    }
}
