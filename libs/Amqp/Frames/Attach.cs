namespace DroneDelivery.Amqp;

/// <summary>Attaches a link to a session (AMQP 1.0 §2.7.3). Name, handle and role are filled in by the session that sends it.</summary>
public sealed class Attach : Performative
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
    public Dictionary<object, object?>? Unsettled { get; set; }
    public bool? IncompleteUnsettled { get; set; }
    /// <summary>Always written by a sender; 0 when not set.</summary>
    public uint? InitialDeliveryCount { get; set; }
    /// <summary>Bytes; absent or 0 means no limit. A receiver link enforces its own.</summary>
    public ulong? MaxMessageSize { get; set; }
    public Symbol[]? OfferedCapabilities { get; set; }
    public Symbol[]? DesiredCapabilities { get; set; }
    public Dictionary<Symbol, object?>? Properties { get; set; }
}

/// <summary>AMQP 1.0 §2.8.1.</summary>
public enum LinkRole { Sender, Receiver }

/// <summary>AMQP 1.0 §2.8.2.</summary>
public enum SenderSettleMode : byte { Unsettled, Settled, Mixed }

/// <summary>AMQP 1.0 §2.8.3.</summary>
public enum ReceiverSettleMode : byte { First, Second }
