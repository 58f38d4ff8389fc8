namespace DroneDelivery.Amqp;

/// <summary>Immutable properties of the bare message (AMQP 1.0 §3.2.4).</summary>
public sealed class MessageProperties
{
    /// <summary>A <see cref="string"/>, <see cref="Guid"/>, <see cref="ulong"/> or <c>byte[]</c>.</summary>
    public object? MessageId { get; set; }
    public byte[]? UserId { get; set; }
    public string? To { get; set; }
    public string? Subject { get; set; }
    public string? ReplyTo { get; set; }
    /// <summary>A <see cref="string"/>, <see cref="Guid"/>, <see cref="ulong"/> or <c>byte[]</c>.</summary>
    public object? CorrelationId { get; set; }
    public Symbol? ContentType { get; set; }
    public Symbol? ContentEncoding { get; set; }
    public DateTimeOffset? AbsoluteExpiryTime { get; set; }
    public DateTimeOffset? CreationTime { get; set; }
    public string? GroupId { get; set; }
    public uint? GroupSequence { get; set; }
    public string? ReplyToGroupId { get; set; }
}
