namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What a sender handed in; never changed by the broker. Redeliveries, the dead-letter queue and peeks share it.</summary>
/// <param name="Body">The encoded message without the parts that the broker writes anew for each delivery. Opaque here.</param>
internal sealed record MessageContent(ReadOnlyMemory<byte> Body)
{
    // What most messages lack has no place in each of them: there may be millions.
    private readonly Extras? _extras;

    private MessageContent(MessageContent other)
    {
        Body = other.Body;
        Durable = other.Durable;
        WireSize = other.WireSize;
        _extras = other._extras is null ? null : other._extras with { };
    }

    /// <summary>Only looked at by duplicate detection; may be null where that is off.</summary>
    public string? MessageId
    {
        get => _extras?.MessageId;
        init => Set(ref _extras, value is null)?.MessageId = value;
    }

    /// <summary>Only looked at by queues with sessions; may be null elsewhere.</summary>
    public string? SessionId
    {
        get => _extras?.SessionId;
        init => Set(ref _extras, value is null)?.SessionId = value;
    }

    /// <summary>Null: as long as the queue allows.</summary>
    public TimeSpan? TimeToLive
    {
        get => _extras?.TimeToLive;
        init => Set(ref _extras, value is null)?.TimeToLive = value;
    }

    /// <summary>A time in the future keeps the message from receivers until then.</summary>
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

    /// <summary>What the sender wrote next to the body for brokers to read, carried along to receivers. Encoded, names and
    /// values in turn.</summary>
    public ReadOnlyMemory<byte> Annotations
    {
        get => _extras?.Annotations ?? default;
        init => Set(ref _extras, value.IsEmpty)?.Annotations = value;
    }

    /// <summary>Names and values in <see cref="Annotations"/>.</summary>
    public int AnnotationValues
    {
        get => _extras?.AnnotationValues ?? 0;
        init => Set(ref _extras, value == 0)?.AnnotationValues = value;
    }

    /// <summary>Bytes that came over the wire and that this content keeps in memory.</summary>
    public int WireSize { get; init; } = Body.Length;

    /// <returns>Null: there is nothing to set.</returns>
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
