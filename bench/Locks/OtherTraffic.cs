using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Diagnostics;
using DroneDelivery.Amqp;
using DroneDelivery.Bench.Broker;

namespace DroneDelivery.Bench.Locks;

/// <summary>Messages through a queue that has nothing to do with what is measured: sent at a rate, received at once and
/// completed.</summary>
internal sealed class OtherTraffic : ILinkHandler, IAsyncDisposable
{
    // Without a rate this bounds what is under way, and at a rate how far the traffic catches up after it was held up.
    private const int MostUnderWay = 2000;

    private const uint Prefetch = 1000;

    private readonly AmqpConnection _sending;
    private readonly AmqpConnection _receiving;
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentQueue<(long Sent, long Came)> _messages = [];
    private readonly byte[] _message = BrokerCalls.MessageOf(sizeof(long));
    private Task _pacing = Task.CompletedTask;
    private long _sent;
    private long _came;

    private OtherTraffic(AmqpConnection sending, AmqpConnection receiving) =>
        (_sending, _receiving) = (sending, receiving);

    /// <param name="broker">Where.</param>
    /// <param name="queue">Empty, and of this traffic alone.</param>
    /// <param name="rate">Messages a second; 0: as many as go through.</param>
    public static async Task<OtherTraffic> StartAsync(BrokerUnderTest broker, string queue, int rate)
    {
        var traffic = new OtherTraffic(await broker.ConnectAsync(), await broker.ConnectAsync());
        var from = new Attach
        {
            Name = "other",
            Source = new Source { Address = queue },
            Target = new Target(),
        };
        var receivingSession = await traffic._receiving.BeginSessionAsync(null, CancellationToken.None);
        (await receivingSession.AttachReceiverAsync(from, traffic, CancellationToken.None)).SetCredit(Prefetch);
        var to = new Attach
        {
            Name = "other",
            Source = new Source(),
            Target = new Target { Address = queue },
        };
        var sendingSession = await traffic._sending.BeginSessionAsync(null, CancellationToken.None);
        var link = await sendingSession.AttachSenderAsync(to, traffic, CancellationToken.None);
        traffic._pacing = traffic.PaceAsync(link, rate);
        return traffic;
    }

    /// <summary>What came within that time.</summary>
    /// <param name="from">A timestamp.</param>
    /// <param name="to">A later one.</param>
    public Passed Between(long from, long to)
    {
        var within = _messages.Where(message => message.Came >= from && message.Came < to).ToList();
        var delays = within
            .Select(message => Stopwatch.GetElapsedTime(message.Sent, message.Came).TotalMilliseconds)
            .Order()
            .ToList();
        var seconds = Stopwatch.GetElapsedTime(from, to).TotalSeconds;
        return new Passed(
            within.Count / seconds,
            delays.Count == 0 ? double.NaN : delays[(int)(0.99 * (delays.Count - 1))]
        );
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        _messages.Enqueue(
            (BinaryPrimitives.ReadInt64BigEndian(delivery.Payload.Span[^sizeof(long)..]), Stopwatch.GetTimestamp())
        );
        link.Settle(delivery.DeliveryId, Accepted.Instance);
        if (link.Credit <= Prefetch / 2)
            link.SetCredit(Prefetch);
        Interlocked.Increment(ref _came);
    }

    public void OnDetached(AmqpLink link, AmqpError? error) => _stop.Cancel();

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _pacing;
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(5));
        while (Interlocked.Read(ref _came) < _sent && !patience.IsCancellationRequested)
            await Task.Delay(10, CancellationToken.None);
        await _sending.DisposeAsync();
        await _receiving.DisposeAsync();
        _stop.Dispose();
    }

    private async Task PaceAsync(SenderLink link, int rate)
    {
        var start = Stopwatch.GetTimestamp();
        while (!_stop.IsCancellationRequested)
        {
            var due = rate == 0 ? long.MaxValue : (long)(Stopwatch.GetElapsedTime(start).TotalSeconds * rate);
            while (_sent < due && _sent - Interlocked.Read(ref _came) < MostUnderWay && TrySend(link))
                _sent++;
            await Task.Delay(1, CancellationToken.None);
        }
    }

    private bool TrySend(SenderLink link)
    {
        Span<byte> tag = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(tag, _sent);
        BinaryPrimitives.WriteInt64BigEndian(_message.AsSpan(^sizeof(long)..), Stopwatch.GetTimestamp());
        return link.TrySend(tag, _message, default, messageFormat: 0, settled: false, context: null, out _);
    }
}

/// <param name="Rate">Messages a second.</param>
/// <param name="P99">Milliseconds from the send to the receiver.</param>
internal readonly record struct Passed(double Rate, double P99);
