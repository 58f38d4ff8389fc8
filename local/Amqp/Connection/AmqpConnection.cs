using System.IO.Pipelines;

namespace DroneDelivery.Amqp;

/// <summary>The server side of an AMQP 1.0 connection (AMQP 1.0 §2.4). Methods are thread-safe. Callbacks run on the
/// connection's read loop, one at a time and never under its lock.</summary>
/// <remarks>
/// The read loop parses frames and makes the callbacks; the <see cref="Amqp.Outbox"/> sends. One lock, <see cref="Gate"/>,
/// guards sessions, links, and the frames being written.
/// <para>Either side can start to close; the other responds in kind. Closing a container also closes its contents:</para>
/// <code>
/// link        detach ──▶ ◀── detach    its handler: OnDetached
/// session     end    ──▶ ◀── end       all of its links as above, then OnSessionEnded
/// connection  close  ──▶ ◀── close     all of its sessions as above, then OnClosed, then Closed completes
/// </code>
/// <para>The stages of a connection:</para>
/// <code>
/// open ──▶ closing ─────▶ notified ──▶ sent ──▶ gone
///   └─────────────────────▲
/// </code>
/// <list type="bullet">
/// <item>closing: a close frame was written, and no other frames follow.</item>
/// <item>notified: the read loop has ended and has notified all links, sessions, and the listener. A transport failure, an
/// <see cref="Abort"/>, and an idle timeout lead here directly.</item>
/// <item>sent: the write loop has sent everything.</item>
/// <item>gone: the transport is closed, and <see cref="CloseAsync"/> returns.</item>
/// </list>
/// </remarks>
public sealed partial class AmqpConnection : IAsyncDisposable
{
    // Peers can allow frames of any size; this limit lets links take turns.
    private const uint MaxOutgoingFrameSize = 1024 * 1024;

    private static int _connections;

    private readonly IDuplexPipe _transport;
    private readonly AmqpConnectionOptions _options;
    private readonly IConnectionListener _listener;
    private readonly CancellationTokenSource _aborted = new();
    private readonly TaskCompletionSource<AmqpError?> _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Heartbeat _heartbeat;
    private Task _running = Task.CompletedTask;
    private ITimer? _closeDeadline;
    private AmqpError? _closeError;

    private AmqpConnection(
        IDuplexPipe transport,
        AmqpConnectionOptions options,
        Open remoteOpen,
        Func<AmqpConnection, IConnectionListener> listener
    )
    {
        _transport = transport;
        _options = options;
        RemoteOpen = remoteOpen;
        Id = $"c{Interlocked.Increment(ref _connections)}";
        MaxFrameSize = (int)Math.Min(remoteOpen.MaxFrameSize ?? uint.MaxValue, MaxOutgoingFrameSize);
        Sessions = new SessionTable(Math.Min(options.ChannelMax, remoteOpen.ChannelMax ?? ushort.MaxValue));
        Outbox = new Outbox(transport.Output, Gate, options.WriteBacklog, Sessions.WriteHeldBackDispositions, () =>
            _listener!.OnWriteDrained()
        );
        Allowance = new Allowance(options, Outbox.ScheduleDrainedCallback);
        _heartbeat = new Heartbeat(this, options);
        _listener = listener(this);
    }

    public string Id { get; }

    public Open RemoteOpen { get; }

    /// <summary>Completes when the connection has ended, with the error of either side or <c>null</c>. Never
    /// faults.</summary>
    public Task<AmqpError?> Closed => _closed.Task;

    /// <summary><c>true</c> if the peer reads too slowly. Stop sending until <see
    /// cref="IConnectionListener.OnWriteDrained"/>.</summary>
    public bool IsWriteBacklogged => Outbox.IsBacklogged;

    /// <summary><c>true</c> if the peer has too many unsettled deliveries. Send only settled ones until <see
    /// cref="IConnectionListener.OnWriteDrained"/>.</summary>
    public bool IsUnsettledFull => Allowance.Unsettled.IsFull;

    public int UnsentBytes
    {
        get
        {
            lock (Gate)
                return Outbox.Unsent;
        }
    }

    internal Lock Gate { get; } = new();

    internal Outbox Outbox { get; }

    internal SessionTable Sessions { get; }

    internal Allowance Allowance { get; }

    internal int MaxFrameSize { get; }

    /// <summary><c>true</c> if nothing more is sent, because a close was written or the transport has failed.</summary>
    internal bool IsClosing { get; private set; }

    /// <summary>Serves a client until the connection has ended. Invalid input never throws.</summary>
    public static async Task ServeAsync(
        IDuplexPipe transport,
        AmqpConnectionOptions options,
        Func<AmqpConnection, IConnectionListener> listener,
        CancellationToken cancellationToken
    )
    {
        var remoteOpen = await TryOpenAsync(transport, options, cancellationToken);
        if (remoteOpen is null)
        {
            await transport.Output.CompleteAsync();
            await transport.Input.CompleteAsync();
            return;
        }
        var connection = Start(transport, options, remoteOpen, listener);
        await using (
            cancellationToken.UnsafeRegister(static c => ((AmqpConnection)c!).BeginClose(ShuttingDown), connection)
        )
        {
            await connection._running;
        }
    }

    /// <summary>Accepts a connection only to close it with an error. Completes when the client disconnects or times
    /// out.</summary>
    public static Task RefuseAsync(
        IDuplexPipe transport,
        AmqpConnectionOptions options,
        AmqpError error,
        CancellationToken cancellationToken
    )
    {
        return ServeAsync(transport, options, Reject, cancellationToken);

        IConnectionListener Reject(AmqpConnection connection)
        {
            connection.BeginClose(error);
            return new RejectedConnection();
        }
    }

    internal static AmqpConnection Start(
        IDuplexPipe transport,
        AmqpConnectionOptions options,
        Open remoteOpen,
        Func<AmqpConnection, IConnectionListener> listener
    )
    {
        var connection = new AmqpConnection(transport, options, remoteOpen, listener);
        connection._running = connection.RunAsync();
        return connection;
    }

    private static AmqpError ShuttingDown => new(ErrorConditions.ConnectionForced, "The server is shutting down.");

    private static async Task<Open?> TryOpenAsync(
        IDuplexPipe transport,
        AmqpConnectionOptions options,
        CancellationToken cancellationToken
    )
    {
        using var timeout = new CancellationTokenSource(options.HandshakeTimeout, options.TimeProvider);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        try
        {
            return await OpenExchange.AsServerAsync(
                new HandshakePipe(transport, options.MaxFrameSize),
                options,
                either.Token
            );
        }
        catch (Exception e) when (e is AmqpException || TransportFailure.Is(e))
        {
            // The peer is gone, silent, or doesn't use AMQP, so no error can be sent.
            return null;
        }
    }

    /// <summary>Sends a close and waits for the peer's, up to <see
    /// cref="AmqpConnectionOptions.HandshakeTimeout"/>.</summary>
    public async Task CloseAsync(AmqpError? error = null, CancellationToken cancellationToken = default)
    {
        BeginClose(error);
        await _running.WaitAsync(cancellationToken);
    }

    /// <summary>Takes the connection's lock for several consecutive settlements.</summary>
    public Lock.Scope Hold() => Gate.EnterScope();

    /// <summary>Counts bytes that the owner keeps for the peer (<see cref="AmqpConnectionOptions.MaxPartialBytes"/>).
    /// Returns <c>false</c> if the limit is exceeded.</summary>
    public bool TryKeep(long bytes) => Allowance.TryAddPart(bytes, before: 0);

    public void GiveBack(long bytes) => Allowance.RemoveParts(bytes);

    /// <summary>Drops the transport without a close.</summary>
    public void Abort() => _aborted.Cancel();

    public async ValueTask DisposeAsync() => await CloseAsync();

    public void BeginClose(AmqpError? error)
    {
        lock (Gate)
        {
            if (IsClosing)
                return;
            Sessions.WriteHeldBackDispositions();
            IsClosing = true;
            Outbox.DisableBackpressure();
            _closeError = error;
            Write(channel: 0, new Close(error));
            ArmCloseDeadline();
        }
    }

    internal static AmqpError Gone { get; } = new(ErrorConditions.ConnectionForced, "The connection has ended.");

    internal void Write<T>(ushort channel, in T body)
        where T : IComposite
    {
        Frame.Write(Outbox.Writer, Frame.AmqpType, channel, body, MaxFrameSize);
        Outbox.Wake();
    }

    internal void WriteHeartbeat()
    {
        lock (Gate)
        {
            if (IsClosing || Outbox.IsBacklogged)
                return;
            Outbox.Writer.WriteRaw(Frame.Heartbeat);
            Outbox.Wake();
        }
    }

    /// <summary>Closes the connection to a silent peer without waiting for a response.</summary>
    internal void CloseWithoutWaiting(AmqpError error)
    {
        BeginClose(error);
        _transport.Input.CancelPendingRead();
    }

    private void ArmCloseDeadline() =>
        _closeDeadline ??= _options.TimeProvider.CreateTimer(
            static c => ((AmqpConnection)c!).Abort(),
            this,
            _options.HandshakeTimeout,
            Timeout.InfiniteTimeSpan
        );
}
