namespace Azure.Messaging.ServiceBus;

/// <summary>
/// One of a processor's handlers at work: receives a message, has it handled while its lock is renewed, settles it, and begins again.
/// A message whose lock expired while it was buffered is handled too: only the broker knows, and says so when it is settled.
/// </summary>
internal sealed class MessagePump(
    ServiceBusProcessor processor,
    ServiceBusReceiver receiver,
    BusDiagnostics diagnostics,
    TimeSpan pause,
    TimeProvider time)
{
    private int _ended;

    private bool Locks => receiver.ReceiveMode == ServiceBusReceiveMode.PeekLock;

    public async Task RunAsync(CancellationToken stopping)
    {
        // Handlers must not run inside the start of the processor, whose caller waits for it.
        await Task.Yield();
        while (!stopping.IsCancellationRequested)
        {
            try
            {
                if (await receiver.ReceiveMessageAsync(cancellationToken: stopping) is { } message)
                {
                    await diagnostics.ProcessAsync(
                        message, static (call, message) => call.This.HandleAsync(message, call.stopping), (This: this, stopping));
                }
            }
            catch (OperationCanceledException) when (stopping.IsCancellationRequested)
            {
                return;
            }
            catch (ObjectDisposedException error) when (receiver.IsOver)
            {
                // The client was closed under a running processor. All handlers notice; one says so.
                if (Interlocked.Exchange(ref _ended, 1) == 0)
                    await ReportAsync(error, ServiceBusErrorSource.Receive, stopping);
                return;
            }
            catch (Exception error)
            {
                await ReportAsync(error, ServiceBusErrorSource.Receive, stopping);
                await PauseAsync(stopping);
            }
        }
    }

    /// <returns>Why the handling failed; null when it did not.</returns>
    private async Task<Exception?> HandleAsync(ServiceBusReceivedMessage message, CancellationToken stopping)
    {
        var source = ServiceBusErrorSource.ProcessMessageCallback;
        await using var renewal = RenewalOf(message, stopping);
        try
        {
            await processor.OnProcessMessageAsync(new ProcessMessageEventArgs(message, receiver, processor.Identifier, stopping));
            source = ServiceBusErrorSource.Complete;
            // Not cancelled by a stop: what was handled is to be completed.
            if (Locks && processor.AutoCompleteMessages && !message.IsSettled)
                await receiver.CompleteMessageAsync(message, CancellationToken.None);
            return null;
        }
        catch (Exception error) when (error is not TaskCanceledException || !stopping.IsCancellationRequested)
        {
            await ReportAsync(error, source, stopping);
            if (Locks && !message.IsSettled && error is not ServiceBusException { Reason: ServiceBusFailureReason.MessageLockLost })
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
            await ReportAsync(error, ServiceBusErrorSource.Abandon, stopping);
        }
    }

    private LockRenewal? RenewalOf(ServiceBusReceivedMessage message, CancellationToken stopping)
    {
        var longest = processor.MaxAutoLockRenewalDuration;
        return Locks && longest != TimeSpan.Zero
            ? new LockRenewal(receiver, message, longest, time, error => ReportAsync(error, ServiceBusErrorSource.RenewLock, stopping))
            : null;
    }

    private async Task ReportAsync(Exception error, ServiceBusErrorSource source, CancellationToken stopping)
    {
        try
        {
            await processor.OnProcessErrorAsync(new ProcessErrorEventArgs(
                error, source, processor.FullyQualifiedNamespace, processor.EntityPath, processor.Identifier, stopping));
        }
#pragma warning disable CA1031 // An error handler that fails has nobody left to tell, and processing has to go on.
        catch
        {
        }
#pragma warning restore CA1031
    }

    /// <summary>Errors that no retry mends, such as a missing queue, would come as fast as the broker answers.</summary>
    private async Task PauseAsync(CancellationToken stopping)
    {
        try
        {
            await Task.Delay(pause, time, stopping);
        }
        catch (OperationCanceledException)
        {
        }
    }
}
