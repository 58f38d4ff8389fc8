namespace DroneDelivery.Amqp;

/// <summary>The properties section of a message (AMQP 1.0 §3.2.4).</summary>
public sealed class MessageProperties
{
    /// <summary>A <see cref="string"/>, <see cref="Guid"/>, <see cref="ulong"/>, or <c>byte[]</c>.</summary>
    public object? MessageId { get; set; }
    public byte[]? UserId { get; set; }
    public string? To { get; set; }
    public string? Subject { get; set; }
    public string? ReplyTo { get; set; }

    public object? CorrelationId { get; set; }
    public Symbol? ContentType { get; set; }
    public Symbol? ContentEncoding { get; set; }
    public DateTimeOffset? AbsoluteExpiryTime { get; set; }
    public DateTimeOffset? CreationTime { get; set; }
    public string? GroupId { get; set; }
    public uint? GroupSequence { get; set; }
    public string? ReplyToGroupId { get; set; }

    public void Encode(AmqpWriter writer) =>
        writer.WriteFields(
            SectionCode.Properties,
            Id(MessageId, nameof(MessageId)),
            UserId,
            To,
            Subject,
            ReplyTo,
            Id(CorrelationId, nameof(CorrelationId)),
            ContentType,
            ContentEncoding,
            AbsoluteExpiryTime,
            CreationTime,
            GroupId,
            GroupSequence,
            ReplyToGroupId
        );

    internal static MessageProperties Read(ref FieldReader fields) =>
        new()
        {
            MessageId = fields.Value(),
            UserId = fields.Binary(),
            To = fields.Value() as string,
            Subject = fields.String(),
            ReplyTo = fields.Value() as string,
            CorrelationId = fields.Value(),
            ContentType = fields.Symbol(),
            ContentEncoding = fields.Symbol(),
            AbsoluteExpiryTime = fields.Timestamp(),
            CreationTime = fields.Timestamp(),
            GroupId = fields.String(),
            GroupSequence = fields.UInt(),
            ReplyToGroupId = fields.String(),
        };

    private static object? Id(object? id, string property) =>
        id is null or string or Guid or ulong or byte[]
            ? id
            : throw new ArgumentException(
                $"{property} must be a string, Guid, ulong, or byte[], but is a {id.GetType()}.",
                property
            );
}
