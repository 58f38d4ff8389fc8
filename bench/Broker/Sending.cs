using System.Buffers.Binary;
using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>
/// Sends messages over one link, with at most <see cref="Window"/> unacknowledged, and completes when the broker has accepted the last one.
/// Runs in the link's callbacks to keep the load generator cheap.
/// </summary>
internal sealed class Sending(byte[] message, int count) : ILinkHandler
{
    private const int Window = 512;
    private readonly TaskCompletionSource _accepted = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();
    private int _sent;
    private int _acknowledged;

    public Task Accepted => _accepted.Task;

    public static async Task<Sending> StartAsync(BrokerUnderTest broker, AmqpSession session, byte[] message, int count)
    {
        var sending = new Sending(message, count);
        sending.Pump(await broker.AttachSenderAsync(session, sending));
        return sending;
    }

    public void OnFlow(AmqpLink link) => Pump((SenderLink)link);

    public void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        if (state is not Amqp.Accepted)
            _accepted.TrySetException(new InvalidOperationException($"The broker responded with {state}."));
        if (Interlocked.Increment(ref _acknowledged) == count)
            _accepted.TrySetResult();
        else
            Pump((SenderLink)link);
    }

    public void OnDetached(AmqpLink link, AmqpError? error) =>
        _accepted.TrySetException(new InvalidOperationException($"The broker closed the link: {error}"));

    private void Pump(SenderLink link)
    {
        lock (_gate)
        {
            Span<byte> tag = stackalloc byte[4];
            while (_sent < count && _sent - Volatile.Read(ref _acknowledged) < Window)
            {
                BinaryPrimitives.WriteInt32BigEndian(tag, _sent);
                if (!link.TrySend(tag, message, default, 0, settled: false, context: null, out _))
                    return;
                _sent++;
            }
        }
    }
}
