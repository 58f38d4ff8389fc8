namespace Azure.Messaging.ServiceBus;

public enum ServiceBusRetryMode
{
    /// <summary>Every wait is <see cref="ServiceBusRetryOptions.Delay"/> and up to 8 % of it more, at random.</summary>
    Fixed,

    /// <summary>
    /// Waits double from twice the <see cref="ServiceBusRetryOptions.Delay"/> up to <see cref="ServiceBusRetryOptions.MaxDelay"/>,
    /// each with up to 8 % of the delay more, at random.
    /// </summary>
    Exponential,
}
