namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Receives from one session, which no other receiver has meanwhile. When the lock or the link is lost, every operation fails with
/// <see cref="ServiceBusFailureReason.SessionLockLost"/>, and the session has to be accepted anew.
/// </summary>
public class ServiceBusSessionReceiver : ServiceBusReceiver
{
    /// <summary>For fakes in tests.</summary>
    protected ServiceBusSessionReceiver()
    {
    }

    private ServiceBusSessionReceiver(
        BusConnection connection, string entityPath, string? sessionId, ServiceBusSessionReceiverOptions options, bool isProcessor)
        : base(connection, entityPath, options.ToReceiverOptions(), isProcessor, new AcceptedSession(sessionId))
    {
    }

    /// <summary>True as well when the session's lock or link is lost and this receiver has heard of it.</summary>
    public override bool IsClosed => base.IsClosed || HasLostSession;

    public virtual string SessionId => Session?.Id ?? "";

    /// <summary>When the lock on the session expires (UTC); renewals move it.</summary>
    public virtual DateTimeOffset SessionLockedUntil => Session?.LockedUntil ?? default;

    /// <param name="connection">Of the client.</param>
    /// <param name="entityPath">Of a queue or subscription with sessions.</param>
    /// <param name="sessionId">Null: the next one that has messages and no receiver.</param>
    /// <param name="options">Null: the defaults.</param>
    /// <param name="isProcessor">A processor's receives are not recorded.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    internal static async Task<ServiceBusSessionReceiver> AcceptAsync(
        BusConnection connection,
        string entityPath,
        string? sessionId,
        ServiceBusSessionReceiverOptions? options,
        bool isProcessor,
        CancellationToken cancellationToken)
    {
        var receiver = new ServiceBusSessionReceiver(connection, entityPath, sessionId, options ?? new(), isProcessor);
        try
        {
            await receiver.TakeSessionAsync(cancellationToken);
            return receiver;
        }
        catch
        {
            await receiver.CloseAsync(CancellationToken.None);
            throw;
        }
    }

    /// <returns>What a receiver of the session has kept with it; null: nothing.</returns>
    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.SessionLockLost"/>.</exception>
    public virtual Task<BinaryData?> GetSessionStateAsync(CancellationToken cancellationToken = default) =>
        AskAsync(
            "ServiceBusSessionReceiver.GetSessionState",
            static (management, by, _, ct) => management.GetSessionStateAsync(by, ct),
            this,
            cancellationToken);

    /// <summary>Keeps something with the session until a receiver sets it anew; null removes it.</summary>
    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.SessionLockLost"/>.</exception>
    public virtual Task SetSessionStateAsync(BinaryData? sessionState, CancellationToken cancellationToken = default) =>
        AskAsync(
            "ServiceBusSessionReceiver.SetSessionState",
            static async (management, by, state, ct) =>
            {
                await management.SetSessionStateAsync(state, by, ct);
                return true;
            },
            sessionState,
            cancellationToken);

    /// <summary>Moves <see cref="SessionLockedUntil"/>, the end of the locks on the session and its messages, a lock duration from
    /// now.</summary>
    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.SessionLockLost"/>.</exception>
    public virtual async Task RenewSessionLockAsync(CancellationToken cancellationToken = default) =>
        Session!.LockedUntil = await AskAsync(
            "ServiceBusSessionReceiver.RenewSessionLock",
            static (management, by, _, ct) => management.RenewSessionLockAsync(by, ct),
            this,
            cancellationToken);
}
