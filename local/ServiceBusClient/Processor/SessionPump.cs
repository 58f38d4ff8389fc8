namespace Azure.Messaging.ServiceBus;

/// <summary>
/// One of a session processor's places: takes a session, has its messages handled until none comes any more, gives it back, and takes the
/// next. When the processor stops, the session stays open, for the next start.
/// </summary>
internal sealed class SessionPump(
    ServiceBusSessionProcessor processor, BusConnection connection, SessionChoice choice, ErrorReports errors, BusDiagnostics diagnostics)
{
    private readonly Lock _resizing = new();
    private OpenSession? _session;
    private string? _chosen;
    private LoopGroup? _calls;

    public bool HasSession => _session is not null;

    /// <param name="stopping">The processor stops.</param>
    /// <param name="cancellationToken">The processor stops, or has too many places.</param>
    public async Task RunAsync(CancellationToken stopping, CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested && !connection.IsClosed)
        {
            if (_session is null && !await OpenAsync(stopping, cancellationToken))
                continue;
            await HandleMessagesAsync(_session!, stopping, cancellationToken);
            var isDismissed = cancellationToken.IsCancellationRequested && !stopping.IsCancellationRequested;
            if (_session!.IsIdle || _session.Ending.IsCancellationRequested || isDismissed)
                await CloseSessionAsync(stopping);
        }

        if (!cancellationToken.IsCancellationRequested)
            await errors.ReportClientClosedAsync(new ObjectDisposedException(nameof(ServiceBusClient)), stopping);
    }

    /// <summary>The processor's calls for each session have changed.</summary>
    public void ResizeCalls()
    {
        lock (_resizing)
            _calls?.Resize(processor.MaxConcurrentCallsPerSession);
    }

    public void UpdatePrefetchCount() => _session?.Receiver.UpdatePrefetchCount(processor.PrefetchCount);

    /// <summary>Gives the session back, if there is one.</summary>
    public async Task CloseSessionAsync(CancellationToken stopping)
    {
        if (_session is not { } session)
            return;
        try
        {
            await processor.OnSessionClosingAsync(new ProcessSessionEventArgs(session, processor.Identifier, stopping));
        }
        catch (Exception error)
        {
            await errors.ReportAsync(error, ServiceBusErrorSource.CloseSession, stopping);
        }

        await session.DisposeAsync();
        _session = null;
        choice.GiveBack(_chosen);
    }

    /// <returns>False: there is no session now.</returns>
    private async Task<bool> OpenAsync(CancellationToken stopping, CancellationToken cancellationToken)
    {
        _chosen = choice.Take();
        try
        {
            _session = await processor.AcceptAsync(_chosen, cancellationToken);
        }
        catch (Exception error)
        {
            choice.GiveBack(_chosen);
            await OnNotAcceptedAsync(error, stopping, cancellationToken);
            return false;
        }

        await InitializeAsync(_session, stopping);
        return true;
    }

    private async Task OnNotAcceptedAsync(Exception error, CancellationToken stopping, CancellationToken cancellationToken)
    {
        switch (error)
        {
            case OperationCanceledException when cancellationToken.IsCancellationRequested:
            // No session has messages.
            case ServiceBusException { Reason: ServiceBusFailureReason.ServiceTimeout }:
            case ObjectDisposedException when connection.IsClosed:
                break;
            default:
                await errors.ReportAsync(error, ServiceBusErrorSource.AcceptSession, stopping);
                await PauseAsync(cancellationToken);
                break;
        }
    }

    private async Task InitializeAsync(OpenSession session, CancellationToken stopping)
    {
        var longest = processor.MaxAutoLockRenewalDuration;
        if (longest != TimeSpan.Zero)
            session.KeepLocked(longest, connection.Time, error => OnNotRenewedAsync(session, error, stopping));
        try
        {
            await processor.OnSessionInitializingAsync(new ProcessSessionEventArgs(session, processor.Identifier, stopping));
        }
        catch (Exception error)
        {
            await errors.ReportAsync(error, ServiceBusErrorSource.AcceptSession, stopping);
        }
    }

    private async Task OnNotRenewedAsync(OpenSession session, Exception error, CancellationToken stopping)
    {
        if (!IsLoss(error) || await session.LoseAsync(error))
            await errors.ReportAsync(error, ServiceBusErrorSource.RenewLock, stopping);
    }

    private async Task HandleMessagesAsync(OpenSession session, CancellationToken stopping, CancellationToken cancellationToken)
    {
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, session.Ending);
        var call = new Call(session, new MessageHandling(session.Receiver, processor.AutoCompleteMessages, errors), stopping, ending.Token);
        lock (_resizing)
            _calls = new LoopGroup(token => CallAsync(call, token), processor.MaxConcurrentCallsPerSession, ending.Token);
        await _calls.Ended;
    }

    private async Task CallAsync(Call call, CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                if (await call.Session.Receiver.ReceiveMessageAsync(processor.SessionIdleTimeout, cancellationToken) is { } message)
                {
                    await HandleAsync(call, message);
                }
                else if (!processor.KeepsSessionsOpen)
                {
                    call.Session.IsIdle = true;
                    return;
                }
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                return;
            }
            catch (ObjectDisposedException) when (call.Session.Receiver.IsOver)
            {
                return;
            }
            catch (Exception error)
            {
                if (!IsLoss(error) || await call.Session.LoseAsync(error))
                    await errors.ReportAsync(error, ServiceBusErrorSource.Receive, call.Stopping);
                await PauseAsync(cancellationToken);
            }
        }
    }

    private async Task HandleAsync(Call call, ServiceBusReceivedMessage message)
    {
        var failure = await diagnostics.ProcessAsync(
            BusDiagnostics.ProcessSessionMessage,
            message,
            static (state, message) => state.This.HandleMessageAsync(state.call, message),
            (This: this, call));
        if (failure is not null && IsLoss(failure))
            await call.Session.LoseAsync(failure);
    }

    private Task<Exception?> HandleMessageAsync(Call call, ServiceBusReceivedMessage message)
    {
        var args = new ProcessSessionMessageEventArgs(message, call.Session, processor.Identifier, connection.Time, call.Ending);
        return call.Handling.RunAsync(message, processor.OnProcessSessionMessageAsync, args, renewal: null, call.Ending);
    }

    /// <summary>Errors that no retry mends would come as fast as the broker answers.</summary>
    private async Task PauseAsync(CancellationToken cancellationToken) =>
        await Task.Delay(connection.RetryOptions.Delay, connection.Time, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    private static bool IsLoss(Exception error) => error is ServiceBusException { Reason: ServiceBusFailureReason.SessionLockLost };

    /// <summary>What the calls for one session have in common.</summary>
    /// <param name="Session">Of the messages.</param>
    /// <param name="Handling">Of each message.</param>
    /// <param name="Stopping">The processor stops.</param>
    /// <param name="Ending">The processor stops, or the session ends.</param>
    private sealed record Call(OpenSession Session, MessageHandling Handling, CancellationToken Stopping, CancellationToken Ending);
}
