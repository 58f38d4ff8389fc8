namespace Azure.Messaging.ServiceBus;

/// <summary>
/// One of a processor's handlers at work: receives a message, has it handled while its lock is renewed, settles it, and begins again.
/// A message whose lock expired while it was buffered is handled too: only the broker knows, and says so when it is settled.
/// </summary>
internal sealed class MessagePump(
    ServiceBusProcessor processor,
    ServiceBusReceiver receiver,
    ErrorReports errors,
    BusDiagnostics diagnostics,
    TimeSpan pause,
    TimeProvider time,
    CancellationToken stopping)
{
    private readonly MessageHandling _handling = new(receiver, processor.AutoCompleteMessages, errors);
    private readonly Func<ProcessMessageEventArgs, Task> _handle = processor.OnProcessMessageAsync;

    /// <param name="cancellationToken">No further message is received; the one in the handler is handled to its end.</param>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                if (await receiver.ReceiveMessageAsync(cancellationToken: cancellationToken) is { } message)
                {
                    await diagnostics.ProcessAsync(
                        BusDiagnostics.ProcessMessage, message, static (pump, message) => pump.HandleAsync(message), this);
                }
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                return;
            }
            catch (ObjectDisposedException error) when (receiver.IsOver)
            {
                await errors.ReportClientClosedAsync(error, stopping);
                return;
            }
            catch (Exception error)
            {
                await errors.ReportAsync(error, ServiceBusErrorSource.Receive, stopping);
                // Errors that no retry mends, such as a missing queue, would come as fast as the broker answers.
                await Task.Delay(pause, time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <returns>Why the handling failed; null when it did not.</returns>
    private Task<Exception?> HandleAsync(ServiceBusReceivedMessage message)
    {
        var args = new ProcessMessageEventArgs(message, receiver, processor.Identifier, time, stopping);
        return _handling.RunAsync(message, _handle, args, RenewalOf(args), stopping);
    }

    private MessageLockRenewal? RenewalOf(ProcessMessageEventArgs args)
    {
        var longest = processor.MaxAutoLockRenewalDuration;
        return receiver.ReceiveMode == ServiceBusReceiveMode.PeekLock && longest != TimeSpan.Zero
            ? new MessageLockRenewal(receiver, args.Message, longest, time, error => OnNotRenewedAsync(args, error))
            : null;
    }

    private Task OnNotRenewedAsync(ProcessMessageEventArgs args, Exception error)
    {
        if (error is not ServiceBusException { IsTransient: true })
            args.OnLockLost(error);
        return errors.ReportAsync(error, ServiceBusErrorSource.RenewLock, stopping);
    }
}
