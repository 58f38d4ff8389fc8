using System.IO.Pipelines;

namespace DroneDelivery.Amqp;

/// <summary>
/// One AMQP 1.0 connection, client or server (AMQP 1.0 §2.4). Methods may be called from any thread; callbacks come from the
/// connection's read loop, one at a time, and never under its lock.
/// </summary>
public sealed class AmqpConnection : IAsyncDisposable
{
    private AmqpConnection() { }

    /// <summary>Dials a server; the open of the peer has arrived on return.</summary>
    /// <exception cref="AmqpException">the peer is not AMQP 1.0, refused the SASL mechanism or closed at once</exception>
    public static Task<AmqpConnection> ConnectAsync(string host, int port, bool useTls, AmqpConnectionOptions options, CancellationToken ct) =>
        throw new NotImplementedException();

    /// <summary>Serves a client until the connection has ended; never throws for what a peer sends.</summary>
    /// <param name="transport">the bytes; not disposed here</param>
    /// <param name="options">read once</param>
    /// <param name="listener">called when the client's open has arrived</param>
    /// <param name="ct">closes the connection</param>
    public static Task ServeAsync(
        IDuplexPipe transport,
        AmqpConnectionOptions options,
        Func<AmqpConnection, IConnectionListener> listener,
        CancellationToken ct) => throw new NotImplementedException();

    /// <summary>Unique in this process.</summary>
    public string Id => throw new NotImplementedException();

    public Open RemoteOpen => throw new NotImplementedException();

    /// <summary>Completes, and never faults, when the connection has ended: with the error of either side, null when there was none.</summary>
    public Task<AmqpError?> Closed => throw new NotImplementedException();

    /// <summary>The peer reads slower than we write: stop sending until <see cref="WriteDrained"/>.</summary>
    public bool IsWriteBacklogged => throw new NotImplementedException();

    /// <summary>Raised on the write loop.</summary>
#pragma warning disable CA1003 // A plain callback: there is nothing to tell beyond that it happened.
    public event Action? WriteDrained { add => throw new NotImplementedException(); remove => throw new NotImplementedException(); }
#pragma warning restore CA1003

    public Task<AmqpSession> BeginSessionAsync(SessionOptions? options, CancellationToken ct) => throw new NotImplementedException();

    /// <summary>Sends close and waits for the peer's.</summary>
    public Task CloseAsync(AmqpError? error = null, CancellationToken ct = default) => throw new NotImplementedException();

    /// <summary>Drops the transport without a word.</summary>
    public void Abort() => throw new NotImplementedException();

    public ValueTask DisposeAsync() => throw new NotImplementedException();
}
