using System.Buffers;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>
/// One port, two protocols: a connection that starts with <c>AMQP</c> goes to the AMQP front end, one that starts with a word in
/// capital letters, as every HTTP request does, to the web server. Anything else is closed.
/// </summary>
internal sealed partial class FirstBytes(AmqpFrontEnd frontEnd, ILogger<FirstBytes> logger)
{
    const int Needed = 4;

    // As long as a client may take over the whole AMQP handshake.
    static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    enum Protocol { Amqp, Http, Tls, Unknown, None }

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

    async Task ServeAmqpAsync(ConnectionContext connection)
    {
        // The web server asks connections to end when it stops; nothing else would tell an AMQP connection.
        var stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? CancellationToken.None;
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(connection.ConnectionClosed, stopping);
        await frontEnd.ServeAsync(connection.Transport, ended.Token);
    }

    static async Task<Protocol> ProtocolOfAsync(ConnectionContext connection)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(connection.ConnectionClosed);
        patience.CancelAfter(Patience);
        try
        {
            while (true)
            {
                var read = await connection.Transport.Input.ReadAsync(patience.Token);
                var enough = read.Buffer.Length >= Needed;
                var protocol = enough ? Recognise(read.Buffer) : Protocol.None;
                // Nothing is consumed: whoever serves the connection reads these bytes again, at once when they are not marked as examined.
                connection.Transport.Input.AdvanceTo(read.Buffer.Start, enough ? read.Buffer.Start : read.Buffer.End);
                if (enough || read.IsCompleted) return protocol;
            }
        }
        catch (Exception error) when (error is OperationCanceledException or ConnectionResetException or ConnectionAbortedException)
        {
            return Protocol.None;
        }
    }

    static Protocol Recognise(ReadOnlySequence<byte> received)
    {
        Span<byte> first = stackalloc byte[Needed];
        received.Slice(0, Needed).CopyTo(first);
        if (first.SequenceEqual("AMQP"u8)) return Protocol.Amqp;
        if (first[0] == 0x16 && first[1] == 0x03) return Protocol.Tls;
        return first.ContainsAnyExcept(SearchValuesOfVerbs) ? Protocol.Unknown : Protocol.Http;
    }

    static readonly SearchValues<byte> SearchValuesOfVerbs = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZ "u8);

    static partial class Log
    {
        [LoggerMessage(LogLevel.Debug, "Closed a connection from {Client}: its first bytes are neither AMQP nor HTTP.")]
        public static partial void Garbage(ILogger logger, System.Net.EndPoint? client);

        [LoggerMessage(LogLevel.Warning, "Closed a connection from {Client}: it speaks TLS, which this broker does not. Its connection string needs UseDevelopmentEmulator=true, its address http instead of https.")]
        public static partial void Tls(ILogger logger, System.Net.EndPoint? client);
    }
}
