using System.Buffers.Binary;
using System.Diagnostics;
using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>
/// Sends at a fixed rate, whether or not the broker keeps up. Each message carries its due time, so waiting to be sent counts as latency.
/// </summary>
internal sealed class OpenLoad(int rate, int count) : ILinkHandler
{
    private const uint Prefetch = 100;

    // The interval at which the sender checks for due messages.
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);

    private readonly double[] _milliseconds = new double[count];
    private readonly Remaining _remaining = new(count);
    private int _received;

    /// <returns>The sorted latencies from due time to receipt, in milliseconds.</returns>
    public async Task<double[]> RunAsync(BrokerUnderTest broker, int receivers)
    {
        var connections = await Task.WhenAll(Enumerable.Range(0, receivers + 1).Select(_ => broker.ConnectAsync()));
        foreach (var connection in connections[1..])
        {
            var session = await connection.BeginSessionAsync(null, CancellationToken.None);
            (await broker.AttachReceiverAsync(session, this)).SetCredit(Prefetch);
        }
        var sending = await connections[0].BeginSessionAsync(null, CancellationToken.None);
        var link = await broker.AttachSenderAsync(sending, this);
        var message = MeasuredMessage.Encode(broker.IsDurable);
        await Task.Factory.StartNew(
            () => Send(link, message),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default
        );
        await _remaining.None;
        foreach (var connection in connections)
            await connection.DisposeAsync();
        Array.Sort(_milliseconds);
        return _milliseconds;
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        var due = BinaryPrimitives.ReadInt64BigEndian(delivery.Payload.Span[^sizeof(long)..]);
        _milliseconds[Interlocked.Increment(ref _received) - 1] = Stopwatch.GetElapsedTime(due).TotalMilliseconds;
        link.Settle(delivery.DeliveryId, Accepted.Instance);
        if (link.Credit <= Prefetch / 2)
            link.SetCredit(Prefetch);
        _remaining.TakeOne();
    }

    public void OnDetached(AmqpLink link, AmqpError? error) => _remaining.Fail(error);

    public void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        if (state is not Accepted)
            _remaining.Fail(new InvalidOperationException($"The broker responded with {state}."));
    }

    private void Send(SenderLink link, byte[] message)
    {
        var start = Stopwatch.GetTimestamp();
        for (var sent = 0; sent < count && !_remaining.None.IsCompleted; )
        {
            // Not a timer: with Linux's resolution of 4 ms, messages would be sent late and in bursts.
#pragma warning disable RS0030
            Thread.Sleep(Tick);
#pragma warning restore RS0030
            var due = Math.Min(count, (long)(Stopwatch.GetElapsedTime(start).TotalSeconds * rate));
            while (sent < due && TrySend(link, message, sent, start + (long)sent * Stopwatch.Frequency / rate))
                sent++;
        }
    }

    // The data is the last section of the message.
    private static bool TrySend(SenderLink link, byte[] message, int number, long due)
    {
        Span<byte> tag = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(tag, number);
        BinaryPrimitives.WriteInt64BigEndian(message.AsSpan()[^sizeof(long)..], due);
        return link.TrySend(tag, message, default, 0, settled: false, context: null, out _);
    }
}
