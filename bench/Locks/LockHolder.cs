using System.Diagnostics;
using DroneDelivery.Amqp;
using DroneDelivery.Bench.Broker;

namespace DroneDelivery.Bench.Locks;

/// <summary>A message as it came.</summary>
/// <param name="Number">Its sequence number.</param>
/// <param name="Failed">How many deliveries have failed before.</param>
/// <param name="LockedUntil">As the broker says.</param>
/// <param name="Came">A timestamp of this process.</param>
/// <param name="DeliveryId">For its settlement.</param>
internal readonly record struct Arrival(
    long Number,
    uint Failed,
    DateTimeOffset LockedUntil,
    long Came,
    uint DeliveryId
);

/// <summary>How many messages all holders still have to get.</summary>
internal sealed class Expected(int count)
{
    private readonly TaskCompletionSource _all = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _left = count;

    public Task All => _all.Task;

    public void TakeOne()
    {
        if (Interlocked.Decrement(ref _left) == 0)
            _all.TrySetResult();
    }

    public void Fail(AmqpError? error) =>
        _all.TrySetException(new InvalidOperationException($"The broker closed the link: {error}"));
}

/// <summary>Receives with peek-lock, and settles nothing until it is told to. It allocates nothing for a message, so that a collection of
/// its own garbage delays none.</summary>
internal sealed class LockHolder : ILinkHandler, IAsyncDisposable
{
    private readonly AmqpConnection _connection;
    private readonly Arrival[] _arrivals;
    private ReceiverLink _link = null!;
    private Expected _expected;
    private int _count;

    private LockHolder(AmqpConnection connection, int most, Expected expected)
    {
        _connection = connection;
        _arrivals = new Arrival[most];
        _expected = expected;
    }

    public IEnumerable<Arrival> Arrivals => _arrivals.Take(Volatile.Read(ref _count));

    /// <param name="broker">Where.</param>
    /// <param name="queue">Whose messages.</param>
    /// <param name="most">Messages in all.</param>
    /// <param name="expected">Counts those of the first credit.</param>
    public static async Task<LockHolder> StartAsync(BrokerUnderTest broker, string queue, int most, Expected expected)
    {
        var connection = await broker.ConnectAsync();
        var holder = new LockHolder(connection, most, expected);
        var session = await connection.BeginSessionAsync(null, CancellationToken.None);
        var attach = new Attach
        {
            Name = $"hold-{Guid.NewGuid():N}",
            Source = new Source { Address = queue },
            Target = new Target(),
        };
        holder._link = await session.AttachReceiverAsync(attach, holder, CancellationToken.None);
        return holder;
    }

    /// <param name="credit">Messages that may come now.</param>
    /// <param name="expected">Counts them.</param>
    public void Grant(int credit, Expected expected)
    {
        Volatile.Write(ref _expected, expected);
        _link.SetCredit((uint)credit);
    }

    /// <summary>Completes the messages that came again.</summary>
    public void Complete()
    {
        _link.SetCredit(0);
        foreach (var arrival in Arrivals.Where(arrival => arrival.Failed > 0))
            _link.Settle(arrival.DeliveryId, Accepted.Instance);
    }

    public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        _arrivals[_count] = Read(delivery.Payload.Span, Stopwatch.GetTimestamp(), delivery.DeliveryId);
        Volatile.Write(ref _count, _count + 1);
        Volatile.Read(ref _expected).TakeOne();
    }

    public void OnDetached(AmqpLink link, AmqpError? error) => Volatile.Read(ref _expected).Fail(error);

    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private static Arrival Read(ReadOnlySpan<byte> message, long came, uint deliveryId)
    {
        var reader = new AmqpReader(message);
        var failed = ReadDeliveryCount(ref reader);
        var (number, until) = (0L, default(DateTimeOffset));
        reader.ReadDescriptor();
        for (var values = reader.ReadMapHead(); values > 0; values -= 2)
        {
            var name = reader.ReadSymbol().Value;
            if (name == "x-opt-sequence-number")
                number = reader.ReadLong();
            else if (name == "x-opt-locked-until")
                until = reader.ReadTimestamp();
            else
                reader.Skip();
        }
        return new Arrival(number, failed, until, came, deliveryId);
    }

    /// <summary>The last field of the header, with which the broker begins each message.</summary>
    private static uint ReadDeliveryCount(ref AmqpReader reader)
    {
        reader.ReadDescriptor();
        for (var fields = reader.ReadListHead(); fields > 1; fields--)
            reader.Skip();
        return reader.ReadUInt();
    }
}
