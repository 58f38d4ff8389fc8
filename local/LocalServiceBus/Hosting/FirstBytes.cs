using System.Buffers;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>
/// One port, two protocols: a connection that starts with <c>AMQP</c> goes to the AMQP front end, one that starts with a word in
/// capital letters, as every HTTP request does, to the web server. Anything else is closed. With TLS the same holds for what was encrypted,
/// and a connection that starts in plain text is closed.
/// </summary>
internal sealed partial class FirstBytes(AmqpFrontEnd frontEnd, TimeProvider time, ILogger<FirstBytes> logger)
{
    private const int Needed = 4;

    private static readonly SearchValues<byte> InVerbs = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZ "u8);

    // As long as a client may take over the whole AMQP handshake.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private enum Protocol
    {
        Amqp,
        Http,
        Tls,
        Unknown,
        None,
    }

    /// <summary>Of a port with TLS: before anything is decrypted.</summary>
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
                Log.Garbage(logger, connection.RemoteEndPoint);
                break;
        }
    }

    private Task ServeAmqpAsync(ConnectionContext connection)
    {
        // The web server asks connections to end when it stops; nothing else would tell an AMQP connection.
        var stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested
            ?? CancellationToken.None;
        return frontEnd.ServeAsync(connection.Transport, stopping);
    }

    private async Task<Protocol> ProtocolOfAsync(ConnectionContext connection)
    {
        // Not the connection's own token: that fires when the client has said its last word, which may be unread here.
        using var patience = new CancellationTokenSource(Patience, time);
        try
        {
            while (true)
            {
                var read = await connection.Transport.Input.ReadAsync(patience.Token);
                var enough = read.Buffer.Length >= Needed;
                var protocol = enough ? Recognize(read.Buffer) : Protocol.None;
                // Nothing is consumed: whoever serves the connection reads these bytes again, at once when they are not marked as examined.
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
        public static partial void Garbage(ILogger logger, System.Net.EndPoint? client);

        [LoggerMessage(
            LogLevel.Warning,
            "Closed a connection from {Client}: it speaks TLS, which this broker was not started with. "
                + "Start it with --tls (ServiceBus:Tls); or put UseDevelopmentEmulator=true into the connection string, and use http."
        )]
        public static partial void Tls(ILogger logger, System.Net.EndPoint? client);

        [LoggerMessage(
            LogLevel.Warning,
            "Closed a connection from {Client}: it speaks no TLS, which this port requires. "
                + "Remove UseDevelopmentEmulator=true from the connection string, and use https instead of http."
        )]
        public static partial void Plain(ILogger logger, System.Net.EndPoint? client);
    }
}
