namespace Azure.Messaging.ServiceBus;

public enum ServiceBusRetryMode
{
    /// <summary>Every wait is <see cref="ServiceBusRetryOptions.Delay"/>.</summary>
    Fixed,

    /// <summary>Waits double from <see cref="ServiceBusRetryOptions.Delay"/> up to <see cref="ServiceBusRetryOptions.MaxDelay"/>.</summary>
    Exponential,
}
