namespace DroneDelivery.Amqp;

/// <summary>Attaches a link to a session (AMQP 1.0 §2.7.3). Handle and role are filled in by the session that sends it;
/// what is unsettled and capabilities are left out.</summary>
public sealed record Attach : IComposite
{
    internal const ulong Code = 0x12;

    public string Name { get; set; } = "";
    public uint Handle { get; internal set; }
    public LinkRole Role { get; internal set; }
    public SenderSettleMode? SndSettleMode { get; set; }
    public ReceiverSettleMode? RcvSettleMode { get; set; }
    public Source? Source { get; set; }

    /// <summary>Where messages go; null when the link ends at a <see cref="Coordinator"/> or was refused.</summary>
    public Target? Target { get; set; }

    /// <summary>The target of a link that controls transactions (AMQP 1.0 §4.5.1).</summary>
    public Coordinator? Coordinator { get; set; }

    /// <summary>Always written by a sender; 0 when not set.</summary>
    public uint? InitialDeliveryCount { get; set; }

    /// <summary>Bytes; absent or 0 means no limit. A receiver link enforces its own.</summary>
    public ulong? MaxMessageSize { get; set; }
    public Dictionary<Symbol, object?>? Properties { get; set; }

    /// <summary>The link that this attach of the peer's made.</summary>
    internal AmqpLink? Link { get; set; }

    /// <summary>Of a peer's attach: either side has detached since, or its session or connection is gone.</summary>
    public bool IsGone => Link?.IsClosed == true;

    /// <summary>Lets go of what it says of both ends, once it is answered: a peer may have many links for long.</summary>
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
        fields.Skip(2); // unsettled, incomplete-unsettled
        attach.InitialDeliveryCount = fields.UInt();
        attach.MaxMessageSize = fields.ULong();
        fields.Skip(2); // capabilities
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

/// <summary>AMQP 1.0 §2.8.1.</summary>
public enum LinkRole
{
    Sender,
    Receiver,
}

/// <summary>AMQP 1.0 §2.8.2.</summary>
public enum SenderSettleMode : byte
{
    Unsettled,
    Settled,
    Mixed,
}

/// <summary>AMQP 1.0 §2.8.3.</summary>
public enum ReceiverSettleMode : byte
{
    First,
    Second,
}
