using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <param name="window">The maximum number of deliveries in flight. Credit is replenished in halves of it.</param>
internal abstract class InboundLink<T>(uint window, ulong maxSize) : ILinkHandler
    where T : class
{
    private uint _done;

    protected ReceiverLink Link { get; private set; } = null!;

    /// <summary>See <see cref="ReceiverLink.Headroom"/>.</summary>
    protected virtual int Headroom => 0;

    protected ulong MaxSize => maxSize;

    protected abstract AmqpError TooLarge { get; }

    public ReceiverLink Accept(AmqpSession session, Attach attach)
    {
        Link = session.Accept<ReceiverLink>(attach, Reply(attach), this);
        Link.Headroom = Headroom;
        attach.Forget();
        Link.SetCredit(window);
        return Link;
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        T? read = null;
        // Reject the delivery instead of detaching, which SDKs for JavaScript don't notice while sending.
        var error = delivery.IsOversized ? TooLarge : null;
        try
        {
            if (error is null)
                read = Read(delivery);
        }
        catch (AmqpException exception)
        {
            error = exception.Error;
        }
        Take(delivery, read, error);
    }

    public abstract void OnDetached(AmqpLink link, AmqpError? error);

    protected virtual Attach Reply(Attach attach) =>
        new()
        {
            Source = attach.Source ?? new Source(),
            Target = attach.Target is { } target ? new Target { Address = target.Address } : null,
            MaxMessageSize = maxSize,
        };

    protected abstract T Read(in IncomingDelivery delivery);

    /// <param name="read">The content; <c>null</c> if the delivery is rejected with <paramref name="error"/>.</param>
    protected abstract void Take(in IncomingDelivery delivery, T? read, AmqpError? error);

    protected void Respond(uint deliveryId, bool isSettled, DeliveryState response)
    {
        if (!isSettled)
            Link.Settle(deliveryId, response);
        OnDone();
    }

    protected void OnDone()
    {
        if (Interlocked.Increment(ref _done) % (window / 2) == 0)
            Link.AddCredit(window / 2);
    }
}
