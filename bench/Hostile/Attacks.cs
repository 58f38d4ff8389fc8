using System.Net;
using System.Net.Sockets;
using DroneDelivery.Amqp;
using DroneDelivery.Bench.Broker;

namespace DroneDelivery.Bench.Hostile;

/// <summary>What hostile clients do until they are told to stop.</summary>
internal static class Attacks
{
    private static readonly byte[] Header = "AMQP\0\u0001\0\0"u8.ToArray();

    /// <summary>Connects, and says nothing.</summary>
    public static Task SilenceAsync(int port, int sockets, CancellationToken stopping) =>
        WithSockets(port, sockets, (_, _) => Task.CompletedTask, stopping);

    /// <summary>A byte of the protocol header each second, again and again.</summary>
    public static Task SlowLorisAsync(int port, int sockets, CancellationToken stopping) =>
        WithSockets(
            port,
            sockets,
            (socket, second) => socket.SendAsync(Header.AsMemory(second % Header.Length, 1)).AsTask(),
            stopping
        );

    /// <summary>A good header, then bytes by chance, on a new connection each time.</summary>
    public static async Task GarbageAsync(int port, int clients, CancellationToken stopping) =>
        await Task.WhenAll(
            Enumerable
                .Range(0, clients)
                .Select(async seed =>
                {
                    var random = new Random(seed);
                    var garbage = new byte[4096];
                    while (!stopping.IsCancellationRequested)
                    {
                        random.NextBytes(garbage);
                        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
                        try
                        {
                            await socket.ConnectAsync(IPAddress.Loopback, port, stopping);
                            await socket.SendAsync(Header, stopping);
                            await socket.SendAsync(garbage, stopping);
                            await socket.ReceiveAsync(garbage, stopping);
                            await Task.Delay(10, stopping);
                        }
                        catch (Exception error) when (error is SocketException or OperationCanceledException)
                        {
                            // Turned away, as it should be.
                        }
                    }
                })
        );

    /// <summary>Takes all messages of a queue and settles none.</summary>
    public static async Task HoldAsync(BrokerUnderTest broker, string queue, int messages, CancellationToken stopping)
    {
        await broker.FillAsync(queue, BrokerCalls.MessageOf(100), messages);
        await using var connection = await broker.ConnectAsync();
        var session = await connection.BeginSessionAsync(null, stopping);
        var attach = new Attach
        {
            Name = "hold",
            Source = new Source { Address = queue },
            Target = new Target(),
        };
        (await session.AttachReceiverAsync(attach, new Holder(), stopping)).SetCredit(int.MaxValue);
        await Until(stopping);
    }

    private static async Task WithSockets(
        int port,
        int count,
        Func<Socket, int, Task> eachSecond,
        CancellationToken stopping
    )
    {
        var sockets = new List<Socket>();
        try
        {
            while (sockets.Count < count && !stopping.IsCancellationRequested)
            {
                var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
                sockets.Add(socket);
                await socket.ConnectAsync(IPAddress.Loopback, port, stopping);
            }
            for (var second = 0; !stopping.IsCancellationRequested; second++)
            {
                foreach (var socket in sockets.Where(socket => socket.Connected))
                    await Ignoring<SocketException>(() => eachSecond(socket, second));
                await Task.Delay(1000, stopping);
            }
        }
        catch (OperationCanceledException)
        {
            // Told to stop.
        }
        finally
        {
            sockets.ForEach(socket => socket.Dispose());
        }
    }

    private static Task Until(CancellationToken stopping) =>
        Ignoring<OperationCanceledException>(() => Task.Delay(Timeout.InfiniteTimeSpan, stopping));

    private static async Task Ignoring<T>(Func<Task> action)
        where T : Exception
    {
        try
        {
            await action();
        }
        catch (T)
        {
            // Nobody waits for it.
        }
    }

    private sealed class Holder : ILinkHandler
    {
        public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
        {
            // It stays locked.
        }

        public void OnDetached(AmqpLink link, AmqpError? error)
        {
            // Then it holds nothing more.
        }
    }
}
