using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>The session that one link receives from. It ends with its link, and no other link brings it back.</summary>
/// <param name="wanted">Id of the session; null: the next one that has messages and no receiver.</param>
internal sealed class AcceptedSession(string? wanted)
{
    private static readonly Symbol Filter = "com.microsoft:session-filter";
    private static readonly Symbol Timeout = "com.microsoft:timeout";
    private static readonly Symbol LockedUntilTicks = "com.microsoft:locked-until-utc";

    // Read by handlers while a renewal writes it.
    private long _lockedUntil = DateTimeOffset.MinValue.UtcTicks;

    public string? Id { get; private set; } = wanted;

    /// <summary>Null until the broker has given the session.</summary>
    public string? LinkName { get; private set; }

    public DateTimeOffset LockedUntil
    {
        get => new(Interlocked.Read(ref _lockedUntil), TimeSpan.Zero);
        set => Interlocked.Exchange(ref _lockedUntil, value.UtcTicks);
    }

    /// <param name="attach">Of the link.</param>
    /// <param name="patience">How long the broker may look for a session.</param>
    public void AskIn(Attach attach, TimeSpan patience)
    {
        attach.Source!.Filter = new() { [Filter] = Id };
        attach.Properties = new() { [Timeout] = (uint)patience.TotalMilliseconds };
    }

    /// <exception cref="ServiceBusException">The broker does not say which session it gives.</exception>
    public void OnAttached(Attach answer, string linkName)
    {
        var given = answer.Source?.Filter?.GetValueOrDefault(Filter);
        Id = (given is DescribedValue described ? described.Value : given) as string
            ?? throw new ServiceBusException(isTransient: true, "The broker opened the link without a session.", answer.Source?.Address);
        // The one time that comes as ticks.
        if (answer.Properties?.GetValueOrDefault(LockedUntilTicks) is long ticks)
            LockedUntil = new DateTimeOffset(ticks, TimeSpan.Zero);
        LinkName = linkName;
    }
}
