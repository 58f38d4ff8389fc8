namespace DroneDelivery.Amqp;

/// <summary>One end of a link (AMQP 1.0 §2.6).</summary>
public abstract class AmqpLink
{
    private protected AmqpLink() { }

    public string Name => throw new NotImplementedException();

    public AmqpSession Session => throw new NotImplementedException();

    /// <summary>The peer's attach.</summary>
    public Attach Remote => throw new NotImplementedException();

    /// <summary>Free for the owner.</summary>
    public object? State { get; set; }

    /// <summary>True from the moment either side detached the link, or its session or connection is gone.</summary>
    public bool IsClosed => throw new NotImplementedException();

    /// <summary>
    /// Sends detach with closed=true and waits for the peer's. The link has no credit from the moment of the call; OnDetached comes
    /// on the read loop when the peer has answered.
    /// </summary>
    public Task DetachAsync(AmqpError? error = null, CancellationToken ct = default) => throw new NotImplementedException();
}
