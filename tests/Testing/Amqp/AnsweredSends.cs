using System.Buffers.Binary;
using DroneDelivery.Amqp;

namespace DroneDelivery.Testing.Amqp;

/// <summary>
/// Sends that wait for credit, in order, and then for their outcomes. Passes all other events to the link's own
/// handler.
/// </summary>
internal sealed class AnsweredSends(SenderLink sender, ILinkHandler owner) : ILinkHandler
{
    private readonly Queue<SendOperation> _waiting = [];
    private readonly HashSet<SendOperation> _unanswered = [];
    private ulong _tags;

    private Lock Gate => sender.Session.Connection.Gate;

    public Task<DeliveryState> SendAsync(
        ReadOnlyMemory<byte> message,
        uint messageFormat,
        bool settled,
        CancellationToken cancellationToken
    )
    {
        var operation = new SendOperation(message, messageFormat, settled, cancellationToken);
        lock (Gate)
            _waiting.Enqueue(operation);
        SendWaiting();
        return operation.Task.WaitAsync(cancellationToken);
    }

    public void OnFlow(AmqpLink link)
    {
        SendWaiting();
        owner.OnFlow(link);
    }

    public void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        if (context is not SendOperation operation)
        {
            owner.OnDisposition(link, deliveryId, context, state, settled);
            return;
        }
        if (!settled)
            sender.Settle(deliveryId, state);
        lock (Gate)
            _unanswered.Remove(operation);
        // A peer that settles the delivery without a state has not accepted it.
        operation.TrySetResult(state ?? Released.Instance);
    }

    public void OnDetached(AmqpLink link, AmqpError? error)
    {
        var why = new AmqpException(error ?? new AmqpError(ErrorConditions.DetachForced, "The link was detached."));
        foreach (var operation in _unanswered.Concat(_waiting))
            operation.TrySetException(why);
        owner.OnDetached(link, error);
    }

    private void SendWaiting()
    {
        Span<byte> tag = stackalloc byte[sizeof(ulong)];
        lock (Gate)
        {
            while (_waiting.TryPeek(out var operation))
            {
                BinaryPrimitives.WriteUInt64BigEndian(tag, _tags);
                var isGivenUp = operation.GivenUp.IsCancellationRequested;
                if (
                    !isGivenUp
                    && !sender.TrySend(
                        tag,
                        operation.Message.Span,
                        default,
                        operation.MessageFormat,
                        operation.Settled,
                        operation,
                        out _
                    )
                )
                {
                    return;
                }
                _tags++;
                _waiting.Dequeue();
                if (operation.Settled)
                    operation.TrySetResult(Accepted.Instance);
                else if (!isGivenUp)
                    _unanswered.Add(operation);
            }
        }
    }

    private sealed class SendOperation(
        ReadOnlyMemory<byte> message,
        uint messageFormat,
        bool settled,
        CancellationToken cancellationToken
    ) : TaskCompletionSource<DeliveryState>(TaskCreationOptions.RunContinuationsAsynchronously)
    {
        public ReadOnlyMemory<byte> Message => message;

        public uint MessageFormat => messageFormat;

        public bool Settled => settled;

        public CancellationToken GivenUp => cancellationToken;
    }
}
