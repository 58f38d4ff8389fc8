using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The session that the source of an attach asks for.</summary>
/// <param name="SessionId">Null: the next that is free.</param>
/// <param name="Patience">How long the client waits for it.</param>
internal sealed record SessionFilter(string? SessionId, TimeSpan Patience)
{
    // Two links that lead to several sessions at once; SDKs go on without.
    private static readonly Symbol NonExclusive = "com.microsoft:non-exclusive-session-filter:list";
    private static readonly Symbol Timeout = "com.microsoft:timeout";

    // The service's, for a client that names none.
    private static readonly TimeSpan UsualPatience = TimeSpan.FromSeconds(65);

    private static readonly TimeSpan Margin = TimeSpan.FromMilliseconds(20);

    public static Symbol Name { get; } = "com.microsoft:session-filter";

    /// <summary>Property of the answer.</summary>
    public static Symbol LockedUntil { get; } = "com.microsoft:locked-until-utc";

    /// <returns>Null: the client asks for no session.</returns>
    /// <exception cref="AmqpException">The filter or the timeout is of another type.</exception>
    public static SessionFilter? Of(Attach attach)
    {
        if (attach.Source?.Filter is not { } filter)
            return null;
        if (filter.ContainsKey(NonExclusive))
            throw new AmqpException(Refusal.NonExclusiveSessions);
        if (!filter.TryGetValue(Name, out var value))
            return null;
        // SDKs for Go and Java describe the value, those for .NET and JavaScript don't.
        return (value is DescribedValue described ? described.Value : value) switch
        {
            null => new(null, PatienceOf(attach)),
            string { Length: > IncomingMessage.LongestSessionId } => throw IncomingMessage.SessionIdTooLong,
            string id => new(id, PatienceOf(attach)),
            _ => throw new AmqpException(ErrorConditions.InvalidField, $"The filter {Name} must be a string or null."),
        };
    }

    /// <summary>A little less than the client says: older SDKs wait no longer than that, and should hear the answer.</summary>
    private static TimeSpan PatienceOf(Attach attach) =>
        WrittenPatience(attach) is var written && written > 2 * Margin ? written - Margin : written;

    private static TimeSpan WrittenPatience(Attach attach) =>
        attach.Properties?.GetValueOrDefault(Timeout) switch
        {
            null => UsualPatience,
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
