namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Tasks whose failure is looked at instead of thrown. A thrown exception costs for every method that it passes, and where locks are lost
/// each message brings two.
/// </summary>
internal static class TaskFailure
{
    /// <returns>Why it failed, once it is over; null when it did not.</returns>
    public static async Task<Exception?> FailureAsync(this Task task)
    {
        await task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return task.IsCompletedSuccessfully ? null : task.Exception?.InnerException ?? new TaskCanceledException(task);
    }
}
