namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What a sender handed in; never changed by the broker. Redeliveries, the dead-letter queue and peeks share it.</summary>
/// <param name="Body">The encoded message without the parts that the broker writes anew for each delivery. Opaque here.</param>
internal sealed record MessageContent(ReadOnlyMemory<byte> Body)
{
    private const long None = long.MinValue;

    // As ticks: there may be millions, and each "null" beside a value would take eight bytes.
    private readonly long _timeToLive = None;
    private readonly long _scheduledEnqueueTime = None;

    /// <summary>Only looked at by duplicate detection; may be null where that is off.</summary>
    public string? MessageId { get; init; }

    /// <summary>Only looked at by queues with sessions; may be null elsewhere.</summary>
    public string? SessionId { get; init; }

    /// <summary>Null: as long as the queue allows.</summary>
    public TimeSpan? TimeToLive
    {
        get => _timeToLive == None ? null : TimeSpan.FromTicks(_timeToLive);
        init => _timeToLive = value?.Ticks ?? None;
    }

    /// <summary>A time in the future keeps the message from receivers until then.</summary>
    public DateTimeOffset? ScheduledEnqueueTime
    {
        get => _scheduledEnqueueTime == None ? null : new DateTimeOffset(_scheduledEnqueueTime, TimeSpan.Zero);
        init => _scheduledEnqueueTime = value?.UtcTicks ?? None;
    }

    public bool Durable { get; init; }
    public byte? Priority { get; init; }

    /// <summary>What the sender wrote next to the body for brokers to read, carried along to receivers. Encoded, names and
    /// values in turn.</summary>
    public ReadOnlyMemory<byte> Annotations { get; init; }

    /// <summary>Names and values in <see cref="Annotations"/>.</summary>
    public int AnnotationValues { get; init; }

    /// <summary>Bytes that came over the wire and that this content keeps in memory.</summary>
    public int WireSize { get; init; } = Body.Length;
}
