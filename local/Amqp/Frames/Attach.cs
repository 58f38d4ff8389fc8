namespace DroneDelivery.Amqp;

/// <summary>The attach performative (AMQP 1.0 §2.7.3). The session sets handle and role. Unsettled deliveries and
/// capabilities aren't supported.</summary>
public sealed record Attach : IComposite
{
    internal const ulong Code = 0x12;

    public string Name { get; set; } = "";
    public uint Handle { get; internal set; }
    public LinkRole Role { get; internal set; }
    public SenderSettleMode? SndSettleMode { get; set; }
    public ReceiverSettleMode? RcvSettleMode { get; set; }
    public Source? Source { get; set; }

    /// <summary>The target; <c>null</c> for a <see cref="Coordinator"/> or a rejected link.</summary>
    public Target? Target { get; set; }

    /// <summary>The target of a transactional link (AMQP 1.0 §4.5.1).</summary>
    public Coordinator? Coordinator { get; set; }

    /// <summary>Senders always write it, with 0 as the default.</summary>
    public uint? InitialDeliveryCount { get; set; }

    /// <summary>In bytes. <c>null</c> or 0 for no limit. Receiver links enforce their own.</summary>
    public ulong? MaxMessageSize { get; set; }
    public Dictionary<Symbol, object?>? Properties { get; set; }

    internal AmqpLink? Link { get; set; }

    /// <summary><c>true</c> if the peer's link has been detached or its session or connection has ended.</summary>
    public bool IsGone => Link?.IsClosed == true;

    /// <summary>Releases the terminus data after the response.</summary>
    public void Forget()
    {
        Source = null;
        Target = null;
        Coordinator = null;
        Properties = null;
    }

    public void Write(AmqpWriter writer) =>
        writer.WriteFields(
            Code,
            Name,
            Handle,
            Role == LinkRole.Receiver,
            (byte?)SndSettleMode,
            (byte?)RcvSettleMode,
            Source,
            (object?)Target ?? Coordinator,
            null,
            null,
            Role == LinkRole.Sender ? InitialDeliveryCount ?? 0 : null,
            MaxMessageSize,
            null,
            null,
            Properties
        );

    internal static Attach Read(ref FieldReader fields)
    {
        var attach = new Attach
        {
            Name = fields.String() ?? throw FieldReader.Missing("attach.name"),
            Handle = fields.UInt("attach.handle"),
            Role = fields.Role("attach.role"),
            SndSettleMode = (SenderSettleMode?)fields.UByte(),
            RcvSettleMode = (ReceiverSettleMode?)fields.UByte(),
            Source = fields.Composite(Source.Read),
        };
        var target = fields.Composite(ReadTarget);
        attach.Target = target as Target;
        attach.Coordinator = target as Coordinator;
        fields.Skip(2); // The fields unsettled and incomplete-unsettled.
        attach.InitialDeliveryCount = fields.UInt();
        attach.MaxMessageSize = fields.ULong();
        fields.Skip(2); // The capabilities.
        attach.Properties = fields.Map();
        return attach;
    }

    private static object ReadTarget(ulong descriptor, ref FieldReader fields) =>
        descriptor switch
        {
            Target.Code => Target.Read(ref fields),
            Coordinator.Code => Coordinator.Read(ref fields),
            _ => throw new AmqpException(
                ErrorConditions.NotImplemented,
                "attach.target is neither a target nor a coordinator"
            ),
        };
}

/// <summary>The role of a link endpoint (AMQP 1.0 §2.8.1).</summary>
public enum LinkRole
{
    Sender,
    Receiver,
}

/// <summary>The settlement policy of a sender (AMQP 1.0 §2.8.2).</summary>
public enum SenderSettleMode : byte
{
    Unsettled,
    Settled,
    Mixed,
}

/// <summary>The settlement policy of a receiver (AMQP 1.0 §2.8.3).</summary>
public enum ReceiverSettleMode : byte
{
    First,
    Second,
}
