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
    private readonly Lock gate = new();
    private readonly WaitingReceives waiting = new();
    private readonly Queue<Arrival> buffer = [];
    private readonly Dictionary<Guid, Held> unsettled = [];
    private readonly TaskCompletionSource drained = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly bool locks;
    private readonly int prefetchCount;
    private readonly PrefetchCredit prefetch;
    private readonly TimeProvider time;
    private ReceiverLink link = null!;
    private int credit;
    private bool closing;
    private AmqpException? ended;

    private ReceiveLink(ServiceBusReceiveMode mode, int prefetchCount, TimeProvider time)
    {
        locks = mode == ServiceBusReceiveMode.PeekLock;
        this.prefetchCount = prefetchCount;
        this.time = time;
        prefetch = new PrefetchCredit(prefetchCount);
    }

    public static AmqpError NotHeld { get; } = new(ErrorConditions.NotFound, "The message did not come over this link.");

    public string Name => link.Name;

    public bool IsOpen => ended is null && !link.IsClosed;

    /// <summary>With a prefetch count the broker may send at once.</summary>
    public static async Task<ReceiveLink> OpenAsync(
        AmqpConnection connection,
        string entityPath,
        string name,
        ServiceBusReceiveMode mode,
        int prefetchCount,
        TimeProvider time,
        CancellationToken cancellationToken)
    {
        var receiver = new ReceiveLink(mode, prefetchCount, time);
        var session = await connection.BeginSessionAsync(null, cancellationToken);
        try
        {
            var attach = new Attach
            {
                Name = name,
                Source = new Source { Address = entityPath },
                Target = new Target { Address = name },
                SndSettleMode = receiver.locks ? null : SenderSettleMode.Settled,
                RcvSettleMode = receiver.locks ? ReceiverSettleMode.Second : null,
            };
            receiver.link = await session.AttachReceiverAsync(attach, receiver, cancellationToken);
        }
        catch
        {
            await session.EndQuietlyAsync();
            throw;
        }

        lock (receiver.gate)
            receiver.Grant(prefetchCount);
        return receiver;
    }

    /// <returns>What is buffered, or else what comes first; nothing when nothing came in time.</returns>
    /// <exception cref="AmqpException">The link broke.</exception>
    public async Task<IReadOnlyList<Arrival>> ReceiveAsync(int most, TimeSpan wait, CancellationToken cancellationToken)
    {
        Waiter waiter;
        lock (gate)
        {
            if (ended is not null)
                throw ended;
            if (buffer.Count > 0)
                return TakeBuffered(most);
            waiter = waiting.Add(most);
            GrantToWaiting();
        }

        try
        {
            await waiter.First.WaitAsync(wait, time, cancellationToken);
            if (!waiter.IsSingle)
                await waiter.Full.WaitAsync(BatchLinger, time, cancellationToken);
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
        lock (gate)
        {
            if (ended is not null || !unsettled.TryGetValue(lockToken, out held))
                return NotHeld;
            held.By ??= settlement;
        }

        if (!ReferenceEquals(held.By, settlement))
            throw new InvalidOperationException("The message is being settled already: a settlement of it waits for the broker's answer.");
        // A try after one that timed out waits on: the broker was told.
        held.Answer ??= AnswerAsync(lockToken, held.DeliveryId, settlement.Outcome);
        return await held.Answer.WaitAsync(cancellationToken) is Rejected { Error: { } error } ? error : null;
    }

    /// <summary>Settles a message that nobody holds, so without waiting for the broker's answer.</summary>
    public void SettleAtOnce(Arrival arrival, DeliveryState outcome)
    {
        link.Settle(arrival.DeliveryId, outcome);
        OnSettled(arrival.LockToken);
    }

    /// <summary>Calls credit back, gives what is buffered back to the broker, and detaches.</summary>
    public async Task CloseAsync()
    {
        lock (gate)
            closing = true;
        if (IsOpen)
            await DrainAsync();

        Arrival[] left;
        lock (gate)
        {
            left = locks ? [.. buffer] : [];
            buffer.Clear();
        }

        ReleaseAll(left);
        End(error: null);
        await link.Session.EndQuietlyAsync();
    }

    void IReceiverHandler.OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
    {
        var arrival = new Arrival(delivery.DeliveryId, delivery.Tag.Length == 16 ? new Guid(delivery.Tag) : Guid.Empty, delivery.Payload);
        lock (gate)
        {
            credit--;
            if (locks)
                unsettled[arrival.LockToken] = new Held(arrival.DeliveryId);
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
        if (link.Credit == 0)
            drained.TrySetResult();
    }

    void IReceiverHandler.OnDetached(ReceiverLink link, AmqpError? error) => End(error);

    /// <summary>Not cancelled when its caller gives up: the answer, when it comes, gives credit back all the same.</summary>
    private async Task<DeliveryState?> AnswerAsync(Guid lockToken, uint deliveryId, DeliveryState outcome)
    {
        var answer = await link.SettleAsync(deliveryId, outcome, CancellationToken.None);
        OnSettled(lockToken);
        return answer;
    }

    private void End(AmqpError? error)
    {
        IReadOnlyList<Waiter> given;
        lock (gate)
        {
            ended ??= new AmqpException(error ?? new AmqpError(ErrorConditions.DetachForced, "The link to the queue closed."));
            given = waiting.RemoveAll();
            buffer.Clear();
            unsettled.Clear();
        }

        drained.TrySetResult();
        foreach (var waiter in given)
            waiter.Fail(ended);
    }

    /// <returns>False for a message that nobody waits for and that may not wait here with its lock ticking.</returns>
    private bool HandOut(Arrival arrival)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (waiting.TryGive(arrival))
            return true;
        if (locks && (prefetchCount == 0 || closing))
            return false;
        buffer.Enqueue(arrival);
        return true;
    }

    private Arrival[] TakeBuffered(int most)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var taken = new Arrival[Math.Min(most, buffer.Count)];
        for (var i = 0; i < taken.Length; i++)
            taken[i] = buffer.Dequeue();
        OnHandedOut(taken.Length);
        return taken;
    }

    private List<Arrival> Take(Waiter waiter)
    {
        lock (gate)
        {
            waiting.Remove(waiter);
            OnHandedOut(waiter.Received.Count);
            return waiter.Received;
        }
    }

    /// <summary>A receive was given up in the moment in which messages came for it: they go to others, here or at the broker.</summary>
    private void GiveBack(Waiter waiter)
    {
        List<Arrival> stray;
        lock (gate)
        {
            waiting.Remove(waiter);
            stray = [.. waiter.Received.Where(arrival => !HandOut(arrival))];
        }

        ReleaseAll(stray);
    }

    private void ReleaseAll(IEnumerable<Arrival> arrivals)
    {
        foreach (var arrival in arrivals)
            SettleAtOnce(arrival, Released.Instance);
    }

    private async Task DrainAsync()
    {
        if (link.Credit == 0)
            return;
        link.SetCredit(link.Credit, drain: true);
        try
        {
            await drained.Task.WaitAsync(DrainPatience, time);
        }
        catch (TimeoutException)
        {
            // A broker that does not answer gets its messages back when their locks expire.
        }
    }

    private void OnSettled(Guid lockToken)
    {
        lock (gate)
        {
            if (unsettled.Remove(lockToken) && prefetchCount > 0)
                Grant(prefetch.OnSettled());
        }
    }

    /// <summary>A message that comes settled makes room as soon as it has left the buffer.</summary>
    private void OnHandedOut(int count)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (locks || prefetchCount == 0)
            return;
        for (; count > 0; count--)
            Grant(prefetch.OnSettled());
    }

    private void GrantToWaiting()
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (prefetchCount == 0)
            Grant(DemandCredit.Missing(waiting.Singles, waiting.Batched, credit));
    }

    private void Grant(int more)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (more == 0 || closing || ended is not null)
            return;
        credit += more;
        link.AddCredit((uint)more);
    }

    /// <summary>A delivery that the broker has not settled, and by whom it is being settled.</summary>
    private sealed class Held(uint deliveryId)
    {
        public uint DeliveryId { get; } = deliveryId;

        public Settlement? By { get; set; }

        public Task<DeliveryState?>? Answer { get; set; }
    }
}
