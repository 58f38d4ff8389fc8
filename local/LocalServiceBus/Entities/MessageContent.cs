namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The immutable content of a sent message, shared by redeliveries, the dead-letter queue, and
/// peeks.</summary>
/// <param name="Body">The encoded message without the sections that the broker writes for each delivery.</param>
internal sealed record MessageContent(ReadOnlyMemory<byte> Body)
{
    // Rarely used properties are in a separate object, because there can be millions of messages.
    private readonly Extras? _extras;

    private MessageContent(MessageContent other)
    {
        Body = other.Body;
        Durable = other.Durable;
        WireSize = other.WireSize;
        _extras = other._extras is null ? null : other._extras with { };
    }

    /// <summary>The message ID. Read only for duplicate detection; otherwise, can be <c>null</c>.</summary>
    public string? MessageId
    {
        get => _extras?.MessageId;
        init => Set(ref _extras, value is null)?.MessageId = value;
    }

    /// <summary>The session ID. Read only for queues with sessions; otherwise, can be <c>null</c>.</summary>
    public string? SessionId
    {
        get => _extras?.SessionId;
        init => Set(ref _extras, value is null)?.SessionId = value;
    }

    public TimeSpan? TimeToLive
    {
        get => _extras?.TimeToLive;
        init => Set(ref _extras, value is null)?.TimeToLive = value;
    }

    /// <summary>The time at which the message becomes available to receivers, if it's in the future.</summary>
    public DateTimeOffset? ScheduledEnqueueTime
    {
        get => _extras?.ScheduledEnqueueTime;
        init => Set(ref _extras, value is null)?.ScheduledEnqueueTime = value;
    }

    public bool Durable { get; init; }

    public byte? Priority
    {
        get => _extras?.Priority;
        init => Set(ref _extras, value is null)?.Priority = value;
    }

    /// <summary>The sender's message annotations, encoded as alternating names and values. Receivers get them
    /// unchanged.</summary>
    public ReadOnlyMemory<byte> Annotations
    {
        get => _extras?.Annotations ?? default;
        init => Set(ref _extras, value.IsEmpty)?.Annotations = value;
    }

    public int AnnotationValues
    {
        get => _extras?.AnnotationValues ?? 0;
        init => Set(ref _extras, value == 0)?.AnnotationValues = value;
    }

    /// <summary>The received bytes that this content keeps in memory.</summary>
    public int WireSize { get; init; } = Body.Length;

    private static Extras? Set(ref Extras? extras, bool isNothing) => extras ??= isNothing ? null : new Extras();

    private sealed record Extras
    {
        public string? MessageId { get; set; }
        public string? SessionId { get; set; }
        public TimeSpan? TimeToLive { get; set; }
        public DateTimeOffset? ScheduledEnqueueTime { get; set; }
        public byte? Priority { get; set; }
        public ReadOnlyMemory<byte> Annotations { get; set; }
        public int AnnotationValues { get; set; }
    }
}
