namespace DroneDelivery.Amqp;

/// <summary>The state of a delivery at one end of a link (AMQP 1.0 §3.4, transactional ones §4.5).</summary>
public abstract record DeliveryState
{
    private protected DeliveryState() { }
}

/// <summary>AMQP 1.0 §3.4.2.</summary>
public sealed record Accepted : DeliveryState
{
    private Accepted() { }

    public static Accepted Instance { get; } = new();
}

/// <summary>AMQP 1.0 §3.4.3.</summary>
public sealed record Rejected(AmqpError? Error) : DeliveryState
{
    /// <summary>Rejected without an error.</summary>
    public static Rejected Bare { get; } = new((AmqpError?)null);
}

/// <summary>AMQP 1.0 §3.4.4.</summary>
public sealed record Released : DeliveryState
{
    private Released() { }

    public static Released Instance { get; } = new();
}

/// <summary>AMQP 1.0 §3.4.5.</summary>
public sealed record Modified(
    bool DeliveryFailed = false,
    bool UndeliverableHere = false,
    Dictionary<Symbol, object?>? MessageAnnotations = null) : DeliveryState;

/// <summary>How much of the message has arrived (AMQP 1.0 §3.4.1).</summary>
public sealed record Received(uint SectionNumber, ulong SectionOffset) : DeliveryState;

/// <summary>The outcome of a Declare message (AMQP 1.0 §4.5.5).</summary>
public sealed record Declared(byte[] TxnId) : DeliveryState;

/// <summary>A state inside a transaction (AMQP 1.0 §4.5.4).</summary>
public sealed record TransactionalState(byte[] TxnId, DeliveryState? Outcome) : DeliveryState;
