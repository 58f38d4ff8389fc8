using System.Buffers;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>Detects the protocol of a connection, because AMQP and HTTP share the port. A connection that starts with
/// <c>AMQP</c> goes to the AMQP front end; one that starts with capital letters goes to the web server. All others are
/// closed. On a TLS port, the same applies to the decrypted bytes.</summary>
internal sealed partial class FirstBytes(AmqpFrontEnd frontEnd, TimeProvider time, ILogger<FirstBytes> logger)
{
    private const int Needed = 4;

    private static readonly SearchValues<byte> InVerbs = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZ "u8);

    // The same limit as for the whole AMQP handshake.
    private static readonly TimeSpan DetectionTimeout = TimeSpan.FromSeconds(30);

    private enum Protocol
    {
        Amqp,
        Http,
        Tls,
        Unknown,
        None,
    }

    public async Task ServeTlsAsync(ConnectionContext connection, ConnectionDelegate tls)
    {
        var protocol = await ProtocolOfAsync(connection);
        if (protocol == Protocol.Tls)
            await tls(connection);
        else if (protocol != Protocol.None)
            Log.Plain(logger, connection.RemoteEndPoint);
    }

    public async Task ServeAsync(ConnectionContext connection, ConnectionDelegate http)
    {
        switch (await ProtocolOfAsync(connection))
        {
            case Protocol.Amqp:
                await ServeAmqpAsync(connection);
                break;
            case Protocol.Http:
                await http(connection);
                break;
            case Protocol.Tls:
                Log.Tls(logger, connection.RemoteEndPoint);
                break;
            case Protocol.Unknown:
                Log.UnknownProtocol(logger, connection.RemoteEndPoint);
                break;
        }
    }

    private Task ServeAmqpAsync(ConnectionContext connection)
    {
        // When the web server stops, it closes only HTTP connections by itself.
        var stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested
            ?? CancellationToken.None;
        return frontEnd.ServeAsync(connection.Transport, stopping);
    }

    private async Task<Protocol> ProtocolOfAsync(ConnectionContext connection)
    {
        // The connection's own token fires when the client closes its side, even if received bytes are still unread.
        using var timeout = new CancellationTokenSource(DetectionTimeout, time);
        try
        {
            while (true)
            {
                var read = await connection.Transport.Input.ReadAsync(timeout.Token);
                var enough = read.Buffer.Length >= Needed;
                var protocol = enough ? Recognize(read.Buffer) : Protocol.None;
                // Consume nothing: the front end reads these bytes again.
                connection.Transport.Input.AdvanceTo(read.Buffer.Start, enough ? read.Buffer.Start : read.Buffer.End);
                if (enough || read.IsCompleted)
                    return protocol;
            }
        }
        catch (Exception error) when (error is OperationCanceledException or IOException)
        {
            return Protocol.None;
        }
    }

    private static Protocol Recognize(ReadOnlySequence<byte> received)
    {
        Span<byte> first = stackalloc byte[Needed];
        received.Slice(0, Needed).CopyTo(first);
        if (first.SequenceEqual("AMQP"u8))
            return Protocol.Amqp;
        if (first[0] == 0x16 && first[1] == 0x03)
            return Protocol.Tls;
        return first.ContainsAnyExcept(InVerbs) ? Protocol.Unknown : Protocol.Http;
    }

    private static partial class Log
    {
        [LoggerMessage(LogLevel.Debug, "Closed a connection from {Client}: its first bytes are neither AMQP nor HTTP.")]
        public static partial void UnknownProtocol(ILogger logger, System.Net.EndPoint? client);

        [LoggerMessage(
            LogLevel.Warning,
            "Closed a connection from {Client}: it uses TLS, which is not enabled. "
                + "Start the broker with --tls (ServiceBus:Tls), or add UseDevelopmentEmulator=true to the connection string and use http."
        )]
        public static partial void Tls(ILogger logger, System.Net.EndPoint? client);

        [LoggerMessage(
            LogLevel.Warning,
            "Closed a connection from {Client}: it does not use TLS, which this port requires. "
                + "Remove UseDevelopmentEmulator=true from the connection string, and use https instead of http."
        )]
        public static partial void Plain(ILogger logger, System.Net.EndPoint? client);
    }
}
