using System.IO.Pipelines;

namespace DroneDelivery.Amqp;

/// <summary>
/// The server's end of an AMQP 1.0 connection (AMQP 1.0 §2.4). Methods may be called from any thread; callbacks come from the
/// connection's read loop, one at a time, and never under its lock.
/// </summary>
/// <remarks>
/// Two loops per connection: the read loop (AmqpConnection.Reading.cs) parses frames and makes the callbacks, the
/// <see cref="Amqp.Outbox"/> sends. One lock, <see cref="Gate"/>, guards sessions, links and what is being written.
/// <para>How it closes. Either side may begin; the other answers in kind. What ends takes along what it contains, without a frame for
/// each part of it:</para>
/// <code>
///   link        detach ──▶ ◀── detach    its handler: OnDetached
///   session     end    ──▶ ◀── end       all of its links as above, then OnSessionEnded
///   connection  close  ──▶ ◀── close     all of its sessions as above, then OnClosed, then Closed completes
/// </code>
/// <para>Each of the three frames goes out behind the dispositions that were held back, and at most once. The connection's own way:</para>
/// <code>
///   open ──▶ closing ─────▶ told ──▶ sent ──▶ gone
///     └─────────────────────▲
/// </code>
/// <list type="bullet">
/// <item>closing: a close was written, by <see cref="CloseAsync"/>, as the answer to the peer's, or because of a violation. No other
/// frame is written any more. The read loop goes on until the peer's close has come; after a violation it ends at once.</item>
/// <item>told: the read loop has ended and has told every link, session and the listener. A transport that fails, an
/// <see cref="Abort"/> and a peer that is silent lead here directly: nobody waits for a frame that cannot come.</item>
/// <item>sent: the write loop has sent what was written, the close included. After a violation this end reads on, and drops what it
/// reads, until the peer hangs up; otherwise the transport might drop the close.</item>
/// <item>gone: the transport is closed, and <see cref="CloseAsync"/> returns.</item>
/// </list>
/// <para>No stage lasts for ever: <see cref="AmqpConnectionOptions.HandshakeTimeout"/> after the close was written, the connection
/// aborts itself, which ends both loops.</para>
/// </remarks>
public sealed partial class AmqpConnection : IAsyncDisposable
{
    // Peers may announce frames of any size; ours stay small enough for other links to get their turn.
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

    /// <summary>Unique in this process.</summary>
    public string Id { get; }

    public Open RemoteOpen { get; }

    /// <summary>Completes, and never faults, when the connection has ended: with the error of either side, or null.</summary>
    public Task<AmqpError?> Closed => _closed.Task;

    /// <summary>The peer reads slower than we write: stop sending until <see cref="IConnectionListener.OnWriteDrained"/>.</summary>
    public bool IsWriteBacklogged => Outbox.IsBacklogged;

    /// <summary>The peer holds as many deliveries unsettled as it may: only settled ones go out until the same call.</summary>
    public bool IsUnsettledFull => Allowance.Unsettled.IsFull;

    /// <summary>Bytes that the transport has not taken yet.</summary>
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

    /// <summary>Bytes of the largest frame that may be sent.</summary>
    internal int MaxFrameSize { get; }

    /// <summary>A close was sent, or the transport is gone: nothing more is sent.</summary>
    internal bool IsClosing { get; private set; }

    /// <summary>Serves a client until the connection has ended; never throws for what a peer sends.</summary>
    /// <param name="transport">the bytes; completed at the end</param>
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

    /// <summary>Lets a client in only to tell it why it cannot stay; ends when it has hung up, or was too slow to.</summary>
    public static Task RefuseAsync(
        IDuplexPipe transport,
        AmqpConnectionOptions options,
        AmqpError error,
        CancellationToken cancellationToken
    )
    {
        return ServeAsync(transport, options, TurnAway, cancellationToken);

        IConnectionListener TurnAway(AmqpConnection connection)
        {
            connection.BeginClose(error);
            return new Unserved();
        }
    }

    /// <summary>Both ends have opened: the connection runs until it ends, and owns the transport.</summary>
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
            // The peer is gone, silent or not AMQP: there is nobody to tell.
            return null;
        }
    }

    /// <summary>Sends close and waits for the peer's, at most <see cref="AmqpConnectionOptions.HandshakeTimeout"/>.</summary>
    public async Task CloseAsync(AmqpError? error = null, CancellationToken cancellationToken = default)
    {
        BeginClose(error);
        await _running.WaitAsync(cancellationToken);
    }

    /// <summary>For many settlements in a row: the connection's lock is taken once, and nothing else happens here until it is given
    /// back.</summary>
    public Lock.Scope Hold() => Gate.EnterScope();

    /// <summary>
    /// Counts bytes that the owner keeps for the peer among those of unfinished messages
    /// (<see cref="AmqpConnectionOptions.MaxPartialBytes"/>); false when there are too many. They alone may be more than that.
    /// </summary>
    public bool TryKeep(long bytes) => Allowance.TryAddPart(bytes, before: 0);

    /// <summary>The owner keeps them no longer.</summary>
    public void GiveBack(long bytes) => Allowance.RemoveParts(bytes);

    /// <summary>Drops the transport without a word.</summary>
    public void Abort() => _aborted.Cancel();

    public async ValueTask DisposeAsync() => await CloseAsync();

    /// <summary>Sends close once; a peer that does not answer in time loses the transport.</summary>
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

    internal static AmqpError Gone { get; } = new(ErrorConditions.ConnectionForced, "The connection is gone.");

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
            // What waits to be sent shows as well that this end is alive.
            if (IsClosing || Outbox.IsBacklogged)
                return;
            Outbox.Writer.WriteRaw(Frame.Heartbeat);
            Outbox.Wake();
        }
    }

    /// <summary>The peer is silent: say so and don't wait for an answer.</summary>
    internal void GiveUp(AmqpError error)
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
