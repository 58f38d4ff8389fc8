using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>One attachment to a queue as sender.</summary>
internal sealed class SendLink : ISenderHandler
{
    private SenderLink _link = null!;

    public string Name => _link.Name;

    public bool IsOpen => !_link.IsClosed;

    /// <summary>Bytes of the largest message that the broker takes.</summary>
    public long LargestMessage => _link.Remote.MaxMessageSize is { } size and > 0 ? (long)Math.Min(size, long.MaxValue) : long.MaxValue;

    /// <summary>Bytes of the largest batch, which on some brokers is less than the largest message.</summary>
    public long LargestBatch => _link.Remote.Properties?.GetValueOrDefault("com.microsoft:max-message-batch-size") is ulong size and > 0
        ? Math.Min((long)Math.Min(size, long.MaxValue), LargestMessage)
        : LargestMessage;

    public static async Task<SendLink> OpenAsync(
        AmqpConnection connection, string entityPath, string name, CancellationToken cancellationToken)
    {
        var session = await connection.BeginSessionAsync(null, cancellationToken);
        try
        {
            var sender = new SendLink();
            var attach = new Attach
            {
                Name = name,
                Source = new Source { Address = name },
                Target = new Target { Address = entityPath },
                SndSettleMode = SenderSettleMode.Unsettled,
            };
            sender._link = await session.AttachSenderAsync(attach, sender, cancellationToken);
            return sender;
        }
        catch
        {
            await session.EndQuietlyAsync();
            throw;
        }
    }

    /// <summary>Returns when the broker has accepted the message.</summary>
    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessageSizeExceeded"/>.</exception>
    /// <exception cref="AmqpException">The broker refused it, or the link broke before it answered.</exception>
    public async Task SendAsync(byte[] message, uint format, string entityPath, CancellationToken cancellationToken)
    {
        if (message.Length > LargestMessage)
        {
            throw new ServiceBusException(
                $"The message or batch has {message.Length} bytes; the queue takes at most {LargestMessage}.",
                ServiceBusFailureReason.MessageSizeExceeded,
                entityPath);
        }

        switch (await _link.SendAsync(message, format, settled: false, cancellationToken))
        {
            case Accepted:
                return;
            case Rejected { Error: { } error }:
                throw new AmqpException(error);
            case var state:
                throw new ServiceBusException(
                    isTransient: true, $"The broker did not accept the message but answered {state}.", entityPath);
        }
    }

    public Task CloseAsync() => _link.Session.EndQuietlyAsync();

    void ISenderHandler.OnFlow(SenderLink link)
    {
    }

    void ISenderHandler.OnDisposition(SenderLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
    }

    void ISenderHandler.OnDetached(SenderLink link, AmqpError? error)
    {
    }
}
