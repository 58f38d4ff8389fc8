using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The session that an attach requests.</summary>
/// <param name="SessionId">The session; <c>null</c> for the next available one.</param>
internal sealed record SessionFilter(string? SessionId, TimeSpan MaxWait)
{
    // A filter for links to several sessions. SDKs work without it.
    private static readonly Symbol NonExclusive = "com.microsoft:non-exclusive-session-filter:list";
    private static readonly Symbol Timeout = "com.microsoft:timeout";

    // The default of Service Bus.
    private static readonly TimeSpan DefaultMaxWait = TimeSpan.FromSeconds(65);

    private static readonly TimeSpan Margin = TimeSpan.FromMilliseconds(20);

    public static Symbol Name { get; } = "com.microsoft:session-filter";

    public static Symbol LockedUntil { get; } = "com.microsoft:locked-until-utc";

    public static SessionFilter? Of(Attach attach)
    {
        if (attach.Source?.Filter is not { } filter)
            return null;
        if (filter.ContainsKey(NonExclusive))
            throw new AmqpException(ClientErrors.NonExclusiveSessions);
        if (!filter.TryGetValue(Name, out var value))
            return null;
        // SDKs for Go and Java send a described value; those for .NET and JavaScript don't.
        return (value is DescribedValue described ? described.Value : value) switch
        {
            null => new(null, GetMaxWait(attach)),
            string { Length: > IncomingMessage.MaxSessionIdLength } => throw IncomingMessage.SessionIdTooLong,
            string id => new(id, GetMaxWait(attach)),
            _ => throw new AmqpException(ErrorConditions.InvalidField, $"The filter {Name} must be a string or null."),
        };
    }

    /// <summary>Returns slightly less than the client's timeout, so that older SDKs get the response in time.</summary>
    private static TimeSpan GetMaxWait(Attach attach) =>
        RequestedMaxWait(attach) is var written && written > 2 * Margin ? written - Margin : written;

    private static TimeSpan RequestedMaxWait(Attach attach) =>
        attach.Properties?.GetValueOrDefault(Timeout) switch
        {
            null => DefaultMaxWait,
            uint milliseconds => TimeSpan.FromMilliseconds(milliseconds),
            int milliseconds and >= 0 => TimeSpan.FromMilliseconds(milliseconds),
            long milliseconds and >= 0 and <= uint.MaxValue => TimeSpan.FromMilliseconds(milliseconds),
            ulong milliseconds and <= uint.MaxValue => TimeSpan.FromMilliseconds(milliseconds),
            _ => throw new AmqpException(
                ErrorConditions.InvalidField,
                $"The property {Timeout} must be a number of milliseconds up to {uint.MaxValue}."
            ),
        };
}
