namespace DroneDelivery.Amqp;

/// <summary>The state of a delivery (AMQP 1.0 §3.4; transactional states: §4.5).</summary>
public abstract record DeliveryState : IComposite
{
    private protected DeliveryState() { }

    public abstract void Write(AmqpWriter writer);

    internal static DeliveryState Read(ulong descriptor, ref FieldReader fields) =>
        descriptor switch
        {
            Accepted.Code => Accepted.Instance,
            Released.Code => Released.Instance,
            Rejected.Code => fields.Error() is { } error ? new Rejected(error) : Rejected.Bare,
            Modified.Code => new Modified(fields.Boolean() ?? false, fields.Boolean() ?? false, fields.Map()),
            Received.Code => new Received(
                fields.UInt("received.section-number"),
                fields.ULong() ?? throw FieldReader.Missing("received.section-offset")
            ),
            Declared.Code => new Declared(fields.Binary() ?? throw FieldReader.Missing("declared.txn-id")),
            TransactionalState.Code => new TransactionalState(
                fields.Binary() ?? throw FieldReader.Missing("transactional-state.txn-id"),
                fields.State()
            ),
            _ => throw new AmqpException(ErrorConditions.NotImplemented, "unknown delivery state"),
        };
}

/// <summary>The accepted outcome (AMQP 1.0 §3.4.2).</summary>
public sealed record Accepted : DeliveryState
{
    internal const ulong Code = 0x24;

    private Accepted() { }

    public static Accepted Instance { get; } = new();

    public override void Write(AmqpWriter writer) => writer.EndList(writer.BeginFields(Code), 0);
}

/// <summary>The rejected outcome (AMQP 1.0 §3.4.3).</summary>
public sealed record Rejected(AmqpError? Error) : DeliveryState
{
    internal const ulong Code = 0x25;

    public static Rejected Bare { get; } = new((AmqpError?)null);

    public override void Write(AmqpWriter writer) => writer.WriteFields(Code, Error);
}

/// <summary>The released outcome (AMQP 1.0 §3.4.4).</summary>
public sealed record Released : DeliveryState
{
    internal const ulong Code = 0x26;

    private Released() { }

    public static Released Instance { get; } = new();

    public override void Write(AmqpWriter writer) => writer.EndList(writer.BeginFields(Code), 0);
}

/// <summary>The modified outcome (AMQP 1.0 §3.4.5).</summary>
public sealed record Modified(
    bool DeliveryFailed = false,
    bool UndeliverableHere = false,
    Dictionary<Symbol, object?>? MessageAnnotations = null
) : DeliveryState
{
    internal const ulong Code = 0x27;

    public override void Write(AmqpWriter writer) =>
        writer.WriteFields(Code, DeliveryFailed, UndeliverableHere, MessageAnnotations);
}

/// <summary>The received state: the part of the message that has arrived (AMQP 1.0 §3.4.1).</summary>
public sealed record Received(uint SectionNumber, ulong SectionOffset) : DeliveryState
{
    internal const ulong Code = 0x23;

    public override void Write(AmqpWriter writer) => writer.WriteFields(Code, SectionNumber, SectionOffset);
}

/// <summary>The outcome of a declare message (AMQP 1.0 §4.5.5).</summary>
public sealed record Declared(byte[] TxnId) : DeliveryState
{
    internal const ulong Code = 0x33;

    public override void Write(AmqpWriter writer) => writer.WriteFields(Code, TxnId);
}

/// <summary>The state of a delivery in a transaction (AMQP 1.0 §4.5.4).</summary>
public sealed record TransactionalState(byte[] TxnId, DeliveryState? Outcome) : DeliveryState
{
    internal const ulong Code = 0x34;

    public override void Write(AmqpWriter writer) => writer.WriteFields(Code, TxnId, Outcome);
}
