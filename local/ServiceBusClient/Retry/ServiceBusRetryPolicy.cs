namespace Azure.Messaging.ServiceBus;

/// <summary>Retries of one's own, in place of those that <see cref="ServiceBusRetryOptions"/> describe.</summary>
public abstract class ServiceBusRetryPolicy
{
    /// <param name="attemptCount">Tries so far: 0 for the first one.</param>
    /// <returns>How long the try may take.</returns>
    public abstract TimeSpan CalculateTryTimeout(int attemptCount);

    /// <param name="lastException">Why the last try failed.</param>
    /// <param name="attemptCount">Tries so far.</param>
    /// <returns>The wait before the next try; null: there is none.</returns>
    public abstract TimeSpan? CalculateRetryDelay(Exception lastException, int attemptCount);
}
