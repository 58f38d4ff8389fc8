using System.IO.Pipelines;
using DroneDelivery.Amqp;

namespace DroneDelivery.Testing.Amqp;

/// <summary>Connects to an AMQP 1.0 server exactly as a test or benchmark specifies.</summary>
public static class AmqpDialer
{
    /// <summary>
    /// Connects to a server, without the SASL layer if it is <c>null</c>. Completes when the peer's open has arrived.
    /// </summary>
    public static async Task<AmqpConnection> ConnectAsync(
        string host,
        int port,
        SaslClient? sasl,
        AmqpConnectionOptions options,
        CancellationToken cancellationToken
    )
    {
        using var timeout = new CancellationTokenSource(options.HandshakeTimeout, options.TimeProvider);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        SocketTransport? transport = null;
        try
        {
            transport = await SocketTransport.DialAsync(host, port, either.Token);
            return await ConnectAsync(transport, sasl, options, host, either.Token);
        }
        catch (Exception e)
        {
            if (transport is not null)
                await transport.DisposeAsync();
            if (
                e is OperationCanceledException
                && timeout.IsCancellationRequested
                && !cancellationToken.IsCancellationRequested
            )
            {
                throw new TimeoutException(
                    $"No AMQP connection to {host}:{port} within {options.HandshakeTimeout}.",
                    e
                );
            }

            throw;
        }
    }

    /// <summary>Connects over an existing transport, which the connection then owns.</summary>
    public static async Task<AmqpConnection> ConnectAsync(
        IDuplexPipe transport,
        SaslClient? sasl,
        AmqpConnectionOptions options,
        string hostName,
        CancellationToken cancellationToken
    )
    {
        var pipe = new HandshakePipe(transport, options.MaxFrameSize);
        if (sasl is not null)
            await ClientHandshake.AuthenticateAsync(pipe, sasl, hostName, cancellationToken);
        var remoteOpen = await ClientHandshake.OpenAsync(pipe, options, hostName, cancellationToken);
        return AmqpConnection.Start(transport, options, remoteOpen, Listen);
    }

    private static ClientListener Listen(AmqpConnection connection)
    {
        // A client always reads, even with unsent output: if both ends stopped reading, each would wait for the other.
        lock (connection.Gate)
            connection.Outbox.DisableBackpressure();
        return new ClientListener();
    }
}
