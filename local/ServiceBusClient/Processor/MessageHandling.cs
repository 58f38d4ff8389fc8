namespace Azure.Messaging.ServiceBus;

/// <summary>Has a message handled, and completes it afterwards, or abandons it when that failed.</summary>
internal sealed class MessageHandling(ServiceBusReceiver receiver, bool autoCompletes, ErrorReports errors)
{
    private bool Locks => receiver.ReceiveMode == ServiceBusReceiveMode.PeekLock;

    /// <param name="message">The message.</param>
    /// <param name="handle">Calls the handler.</param>
    /// <param name="args">Of the handler.</param>
    /// <param name="renewal">Of the message's lock; ends with the handling.</param>
    /// <param name="stopping">The handler's token.</param>
    /// <returns>Why the handling failed; null when it did not.</returns>
    public async Task<Exception?> RunAsync<TArgs>(
        ServiceBusReceivedMessage message, Func<TArgs, Task> handle, TArgs args, LockRenewal? renewal, CancellationToken stopping)
        where TArgs : ILockWatcher
    {
        await using var ending = renewal;
        var source = ServiceBusErrorSource.ProcessMessageCallback;
        try
        {
            try
            {
                await handle(args);
            }
            finally
            {
                if (args.Watch is { } watch)
                    await watch.DisposeAsync();
            }

            source = ServiceBusErrorSource.Complete;
            // Not cancelled by a stop: what was handled is to be completed.
            if (Locks && autoCompletes && !message.IsSettled)
                await receiver.CompleteMessageAsync(message, CancellationToken.None);
            return null;
        }
        catch (Exception error) when (error is not TaskCanceledException || !stopping.IsCancellationRequested)
        {
            await errors.ReportAsync(error, source, stopping);
            if (Locks && !message.IsSettled && !IsLockLost(error))
                await AbandonAsync(message, stopping);
            return error;
        }
    }

    private async Task AbandonAsync(ServiceBusReceivedMessage message, CancellationToken stopping)
    {
        try
        {
            await receiver.AbandonMessageAsync(message, cancellationToken: CancellationToken.None);
        }
        catch (Exception error)
        {
            await errors.ReportAsync(error, ServiceBusErrorSource.Abandon, stopping);
        }
    }

    private static bool IsLockLost(Exception error) =>
        error is ServiceBusException { Reason: ServiceBusFailureReason.MessageLockLost or ServiceBusFailureReason.SessionLockLost };
}
