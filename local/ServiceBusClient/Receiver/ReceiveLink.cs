using System.Diagnostics;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>
/// One attachment to a queue as receiver: grants credit, hands what comes to waiting receives, keeps what was prefetched, and settles.
/// All of it in one class, because waiting receives, buffer, unsettled messages and credit change together, under one lock.
/// </summary>
internal sealed class ReceiveLink : IReceiverHandler
{
    private static readonly TimeSpan BatchLinger = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan DrainPatience = TimeSpan.FromSeconds(2);
    private readonly Lock _gate = new();
    private readonly WaitingReceives _waiting = new();
    private readonly Queue<Arrival> _buffer = [];
    private readonly Dictionary<Guid, Held> _unsettled = [];
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly bool _locks;
    private readonly bool _isOfSession;
    private readonly TimeProvider _time;
    private ReceiverLink _link = null!;
    private int _prefetchCount;
    private PrefetchCredit _prefetch;
    private bool _isCallingBack;
    private int _credit;
    private bool _closing;
    private AmqpException? _ended;

    private ReceiveLink(ServiceBusReceiveMode mode, int prefetchCount, bool isOfSession, TimeProvider time)
    {
        _locks = mode == ServiceBusReceiveMode.PeekLock;
        _isOfSession = isOfSession;
        _prefetchCount = prefetchCount;
        _time = time;
        _prefetch = new PrefetchCredit(prefetchCount);
    }

    public static AmqpError NotHeld { get; } = new(ErrorConditions.NotFound, "The message did not come over this link.");

    public string Name => _link.Name;

    public bool IsOpen => _ended is null && !_link.IsClosed;

    /// <summary>With a prefetch count the broker may send at once.</summary>
    public static async Task<ReceiveLink> OpenAsync(
        AmqpConnection connection,
        string entityPath,
        string name,
        ServiceBusReceiveMode mode,
        int prefetchCount,
        AcceptedSession? accepted,
        BusConnection bus,
        CancellationToken cancellationToken)
    {
        var receiver = new ReceiveLink(mode, prefetchCount, accepted is not null, bus.Time);
        var session = await connection.BeginSessionAsync(null, cancellationToken);
        try
        {
            var attach = new Attach
            {
                Name = name,
                Source = new Source { Address = entityPath },
                Target = new Target { Address = name },
                SndSettleMode = receiver._locks ? null : SenderSettleMode.Settled,
                RcvSettleMode = receiver._locks ? ReceiverSettleMode.Second : null,
            };
            accepted?.AskIn(attach, bus.RetryOptions.FirstTryTimeout);
            receiver._link = await session.AttachReceiverAsync(attach, receiver, cancellationToken);
            accepted?.OnAttached(receiver._link.Remote, name);
        }
        catch
        {
            await session.EndQuietlyAsync();
            throw;
        }

        lock (receiver._gate)
            receiver.Grant(prefetchCount);
        return receiver;
    }

    /// <returns>What is buffered, or else what comes first; nothing when nothing came in time.</returns>
    /// <exception cref="AmqpException">The link broke.</exception>
    public async Task<IReadOnlyList<Arrival>> ReceiveAsync(int most, TimeSpan wait, CancellationToken cancellationToken)
    {
        Waiter waiter;
        lock (_gate)
        {
            if (_ended is not null)
                throw _ended;
            if (_buffer.Count > 0)
                return TakeBuffered(most);
            waiter = _waiting.Add(most);
            GrantToWaiting();
        }

        try
        {
            await waiter.First.WaitAsync(wait, _time, cancellationToken);
            if (!waiter.IsSingle)
                await waiter.Full.WaitAsync(BatchLinger, _time, cancellationToken);
        }
        catch (TimeoutException)
        {
            // What has come by then is the answer, be it nothing or less than asked for.
        }
        catch (Exception)
        {
            GiveBack(waiter);
            throw;
        }

        return Take(waiter);
    }

    /// <returns>
    /// Why the broker refused, null when it did not. <see cref="ErrorConditions.NotFound"/>: the message came another way, or the broker
    /// does not know it on this link any more.
    /// </returns>
    /// <exception cref="AmqpException">The link broke before the broker answered.</exception>
    /// <exception cref="InvalidOperationException">Another settlement of the message waits for its answer.</exception>
    public async Task<AmqpError?> SettleAsync(Guid lockToken, Settlement settlement, CancellationToken cancellationToken)
    {
        Held? held;
        lock (_gate)
        {
            if (_ended is not null || !_unsettled.TryGetValue(lockToken, out held))
                return NotHeld;
            held.By ??= settlement;
        }

        if (!ReferenceEquals(held.By, settlement))
            throw new InvalidOperationException("The message is being settled already: a settlement of it waits for the broker's answer.");
        // A try after one that timed out waits on: the broker was told.
        held.Answer ??= AnswerAsync(lockToken, held.DeliveryId, settlement.Outcome);
        return await held.Answer.WaitAsync(cancellationToken) is Rejected { Error: { } error } ? error : null;
    }

    /// <summary>Credit is called back first: what the broker has handed out by then counts for the new number.</summary>
    public void SetPrefetchCount(int prefetchCount)
    {
        lock (_gate)
        {
            if (prefetchCount == _prefetchCount || _closing || _ended is not null)
                return;
            _prefetchCount = prefetchCount;
            _isCallingBack = true;
            if (_link.Credit == 0)
            {
                GrantAnew();
                return;
            }
        }

        // Of no credit at all the broker would have nothing to say.
        _link.SetCredit(Math.Max(1u, _link.Credit), drain: true);
    }

    /// <summary>Settles a message that nobody holds, so without waiting for the broker's answer.</summary>
    public void SettleAtOnce(Arrival arrival, DeliveryState outcome)
    {
        _link.Settle(arrival.DeliveryId, outcome);
        OnSettled(arrival.LockToken);
    }

    /// <summary>Calls credit back, gives what is buffered back to the broker, and detaches.</summary>
    public async Task CloseAsync()
    {
        lock (_gate)
            _closing = true;
        if (IsOpen)
            await DrainAsync();

        Arrival[] left;
        lock (_gate)
        {
            left = _locks ? [.. _buffer] : [];
            _buffer.Clear();
        }

        ReleaseAll(left);
        End(error: null);
        await _link.Session.EndQuietlyAsync();
    }

    void IReceiverHandler.OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        var arrival = new Arrival(delivery.DeliveryId, delivery.Tag.Length == 16 ? new Guid(delivery.Tag) : Guid.Empty, delivery.Payload);
        lock (_gate)
        {
            _credit--;
            if (_locks)
                _unsettled[arrival.LockToken] = new Held(arrival.DeliveryId);
            if (HandOut(arrival))
            {
                GrantToWaiting();
                return;
            }
        }

        ReleaseAll([arrival]);
    }

    void IReceiverHandler.OnDisposition(ReceiverLink link, uint deliveryId, DeliveryState? state, bool settled)
    {
    }

    void IReceiverHandler.OnFlow(ReceiverLink link)
    {
        if (link.Credit > 0)
            return;
        lock (_gate)
        {
            if (_isCallingBack && !_closing)
            {
                GrantAnew();
                return;
            }
        }

        _drained.TrySetResult();
    }

    void IReceiverHandler.OnDetached(ReceiverLink link, AmqpError? error) => End(error);

    /// <summary>Not cancelled when its caller gives up: the answer, when it comes, gives credit back all the same.</summary>
    private async Task<DeliveryState?> AnswerAsync(Guid lockToken, uint deliveryId, DeliveryState outcome)
    {
        var answer = await _link.SettleAsync(deliveryId, outcome, CancellationToken.None);
        OnSettled(lockToken);
        return answer;
    }

    private void End(AmqpError? error)
    {
        IReadOnlyList<Waiter> given;
        lock (_gate)
        {
            _ended ??= new AmqpException(error ?? new AmqpError(ErrorConditions.DetachForced, "The link to the queue closed."));
            given = _waiting.RemoveAll();
            _buffer.Clear();
            _unsettled.Clear();
        }

        _drained.TrySetResult();
        foreach (var waiter in given)
            waiter.Fail(_ended);
    }

    /// <returns>False for a message that nobody waits for and that may not wait here with its lock ticking. A message of a session may:
    /// nobody else can have it, and if it went back, the next ones would be ahead of it.</returns>
    private bool HandOut(Arrival arrival)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (_waiting.TryGive(arrival))
            return true;
        if (_locks && ((_prefetchCount == 0 && !_isOfSession) || _closing))
            return false;
        _buffer.Enqueue(arrival);
        return true;
    }

    private Arrival[] TakeBuffered(int most)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        var taken = new Arrival[Math.Min(most, _buffer.Count)];
        for (var i = 0; i < taken.Length; i++)
            taken[i] = _buffer.Dequeue();
        OnHandedOut(taken.Length);
        return taken;
    }

    private List<Arrival> Take(Waiter waiter)
    {
        lock (_gate)
        {
            _waiting.Remove(waiter);
            OnHandedOut(waiter.Received.Count);
            return waiter.Received;
        }
    }

    /// <summary>A receive was given up in the moment in which messages came for it: they go to others, here or at the broker.</summary>
    private void GiveBack(Waiter waiter)
    {
        List<Arrival> stray;
        lock (_gate)
        {
            _waiting.Remove(waiter);
            stray = [.. BeforeBuffered(waiter.Received).Where(arrival => !HandOut(arrival))];
        }

        ReleaseAll(stray);
    }

    /// <returns>What came for a receive, and behind it what is buffered, which is empty then.</returns>
    private List<Arrival> BeforeBuffered(List<Arrival> received)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (received.Count == 0 || !_isOfSession)
            return received;
        List<Arrival> all = [.. received, .. _buffer];
        _buffer.Clear();
        return all;
    }

    private void ReleaseAll(IEnumerable<Arrival> arrivals)
    {
        foreach (var arrival in arrivals)
            SettleAtOnce(arrival, Released.Instance);
    }

    private async Task DrainAsync()
    {
        if (_link.Credit == 0)
            return;
        _link.SetCredit(_link.Credit, drain: true);
        try
        {
            await _drained.Task.WaitAsync(DrainPatience, _time);
        }
        catch (TimeoutException)
        {
            // A broker that does not answer gets its messages back when their locks expire.
        }
    }

    /// <summary>The broker has no credit left.</summary>
    private void GrantAnew()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        _isCallingBack = false;
        _credit = 0;
        var held = _locks ? _unsettled.Count : _buffer.Count;
        _prefetch = new PrefetchCredit(_prefetchCount, tooMany: Math.Max(0, held - _prefetchCount));
        Grant(Math.Max(0, _prefetchCount - held));
        GrantToWaiting();
    }

    private void OnSettled(Guid lockToken)
    {
        lock (_gate)
        {
            if (_unsettled.Remove(lockToken) && _prefetchCount > 0)
                Grant(_prefetch.OnSettled());
        }
    }

    /// <summary>A message that comes settled makes room as soon as it has left the buffer.</summary>
    private void OnHandedOut(int count)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (_locks || _prefetchCount == 0)
            return;
        for (; count > 0; count--)
            Grant(_prefetch.OnSettled());
    }

    private void GrantToWaiting()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (_prefetchCount == 0)
            Grant(DemandCredit.Missing(_waiting.Singles, _waiting.Batched, _credit));
    }

    private void Grant(int more)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (more == 0 || _closing || _isCallingBack || _ended is not null)
            return;
        _credit += more;
        _link.AddCredit((uint)more);
    }

    /// <summary>A delivery that the broker has not settled, and by whom it is being settled.</summary>
    private sealed class Held(uint deliveryId)
    {
        public uint DeliveryId { get; } = deliveryId;

        public Settlement? By { get; set; }

        public Task<DeliveryState?>? Answer { get; set; }
    }
}
