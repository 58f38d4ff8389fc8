using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Diagnostics;
using DroneDelivery.Amqp;
using DroneDelivery.Bench.Broker;

namespace DroneDelivery.Bench.Hostile;

/// <summary>A client that does nothing wrong: it sends numbered messages at a rate, and receives and completes them at once.</summary>
internal sealed class Bystander : ILinkHandler, IAsyncDisposable
{
    private const int MostUnderWay = 1000;
    private const uint Prefetch = 500;

    private readonly AmqpConnection _connection;
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<long, long> _received = [];
    private readonly ConcurrentBag<long> _accepted = [];
    private readonly byte[] _message = BrokerCalls.MessageOf(1024);
    private Task _pacing = Task.CompletedTask;
    private long _sent;
    private long _answered;

    private Bystander(AmqpConnection connection) => _connection = connection;

    /// <summary>Why it was turned away; null: it was not.</summary>
    public string? Failure { get; private set; }

    /// <param name="broker">Whose queue is empty, and this client's alone.</param>
    /// <param name="rate">Messages a second.</param>
    public static async Task<Bystander> StartAsync(BrokerUnderTest broker, int rate)
    {
        var client = new Bystander(await broker.ConnectAsync());
        var session = await client._connection.BeginSessionAsync(null, CancellationToken.None);
        var from = new Attach
        {
            Name = "from",
            Source = broker.Source,
            Target = new Target(),
        };
        (await session.AttachReceiverAsync(from, client, CancellationToken.None)).SetCredit(Prefetch);
        var to = new Attach
        {
            Name = "to",
            Source = new Source(),
            Target = broker.Target,
        };
        client._pacing = client.PaceAsync(await session.AttachSenderAsync(to, client, CancellationToken.None), rate);
        return client;
    }

    /// <summary>Different messages that came in the next seconds, per second.</summary>
    public async Task<double> RateAsync(TimeSpan time)
    {
        var (before, start) = (_received.Count, Stopwatch.GetTimestamp());
        await Task.Delay(time);
        return (_received.Count - before) / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    /// <summary>Sends no more, and waits for what is under way.</summary>
    /// <returns>Messages that the broker has accepted and that did not come.</returns>
    public async Task<int> LostAsync(TimeSpan patience)
    {
        await _stop.CancelAsync();
        await _pacing;
        var start = Stopwatch.GetTimestamp();
        int lost;
        while (
            (lost = _accepted.Count(number => !_received.ContainsKey(number))) > 0
            && Stopwatch.GetElapsedTime(start) < patience
        )
        {
            await Task.Delay(100);
        }

        return lost;
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        _received.TryAdd(BinaryPrimitives.ReadInt64BigEndian(delivery.Payload.Span[^sizeof(long)..]), 0);
        link.Settle(delivery.DeliveryId, Accepted.Instance);
        if (link.Credit <= Prefetch / 2)
            link.SetCredit(Prefetch);
    }

    public void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        Interlocked.Increment(ref _answered);
        if (state is Accepted)
            _accepted.Add((long)context!);
    }

    public void OnDetached(AmqpLink link, AmqpError? error) => Failure ??= $"{error}";

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _pacing;
        await _connection.DisposeAsync();
        _stop.Dispose();
    }

    private async Task PaceAsync(SenderLink link, int rate)
    {
        var start = Stopwatch.GetTimestamp();
        var skipped = 0L;
        while (!_stop.IsCancellationRequested)
        {
            var due = (long)(Stopwatch.GetElapsedTime(start).TotalSeconds * rate) - skipped;
            while (_sent < due && _sent - Interlocked.Read(ref _answered) < MostUnderWay && TrySend(link))
                _sent++;
            // What could not be sent in its second is not made up for.
            skipped += Math.Max(0, due - _sent - rate);
            await Task.Delay(1);
        }
    }

    private bool TrySend(SenderLink link)
    {
        Span<byte> tag = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(tag, _sent);
        BinaryPrimitives.WriteInt64BigEndian(_message.AsSpan(^sizeof(long)..), _sent);
        return link.TrySend(tag, _message, default, messageFormat: 0, settled: false, context: _sent, out _);
    }
}
