namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>
/// Simulates senders, receivers, operators, and time with random operations on a queue and its sessions. After each
/// operation, the queue must match its model.
/// </summary>
internal class RandomUse(
    bool hasSessions,
    int seed,
    ServiceBusNamespace entities,
    ManualTimeProvider clock,
    Queue queue,
    QueueModel model
) : IDisposable
{
    private static readonly string[] Sessions = ["a", "b", "c"];

    protected const int MaxDeliveryCount = 3;

    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);

    private readonly Dictionary<string, TestSession> _holders = [];
    private readonly List<(MessageLock Lock, QueueModel.Entry Entry)> _locks = [];
    private int _sent;

    public Queue Queue { get; } = queue;
    protected ManualTimeProvider Clock { get; } = clock;
    protected QueueModel Model { get; } = model;
    protected Random Random { get; } = new(seed);

    public static RandomUse Of(bool hasSessions, int seed, IJournal? journal = null)
    {
        var clock = new ManualTimeProvider();
        var entities = new ServiceBusNamespace(clock) { Journal = journal ?? NoJournal.Instance };
        var buriesExpired = seed % 2 == 0;
        var queue = entities.Create(
            new QueueOptions("orders")
            {
                LockDuration = LockDuration,
                MaxDeliveryCount = MaxDeliveryCount,
                DeadLetteringOnMessageExpiration = buriesExpired,
                RequiresSession = hasSessions,
            }
        );
        return new(
            hasSessions,
            seed,
            entities,
            clock,
            queue,
            new QueueModel(hasSessions, LockDuration, MaxDeliveryCount, buriesExpired)
        );
    }

    public virtual void Dispose() => entities.Dispose();

    public void Run(int operations)
    {
        Model.Now = Clock.GetUtcNow();
        for (var i = 0; i < operations; i++)
        {
            var done = Next();
            Compare($"After operation {i} of seed {seed}, {done}");
        }
    }

    /// <returns>A description of the operation.</returns>
    protected virtual string Next() =>
        Random.Next(14) switch
        {
            <= 2 => Send(),
            3 when hasSessions => Accept(Sessions[Random.Next(3)]),
            4 when hasSessions => AcceptNext(),
            5 when hasSessions && _holders.Count > 0 => ReleaseOrRenew(),
            <= 7 => Receive(),
            <= 9 => Settle(),
            10 => ReceiveDeferred(),
            11 => Drop(),
            12 => SettleDead(),
            _ => Advance(RandomTime(LockDuration)),
        };

    private string Send()
    {
        var session = hasSessions ? Sessions[Random.Next(3)] : "";
        TimeSpan? lives = Random.Next(3) == 0 ? RandomTime(3 * LockDuration) : null;
        var later = RandomTime(LockDuration);
        DateTimeOffset? due = Random.Next(4) == 0 ? Clock.GetUtcNow() + later : null;
        Queue.Send(QueueFixture.Content($"{++_sent}", session) with { TimeToLive = lives, ScheduledEnqueueTime = due });
        Model.Send(session, lives, due);
        return $"send to '{session}'";
    }

    private string Accept(string session)
    {
        var given = TestSession.Ask(Queue, session);
        Assert.Equal(Model.IsHeld(session) ? QueueResult.SessionHeld : null, given.Refusal);
        return Take(given);
    }

    private string AcceptNext()
    {
        var free = Model.Free.ToList();
        var given = TestSession.Ask(Queue, null);
        Assert.Equal(free.Count > 0, given.Hold is not null);
        if (given.Hold is null)
            Queue.Sessions!.Forget(given);
        else
            Assert.Contains(given.Id!, free);
        return Take(given);
    }

    private string Take(TestSession given)
    {
        if (given.Hold is null)
            return "no session";
        _holders[given.Id!] = given;
        Model.Accept(given.Id!);
        return $"accept '{given.Id}'";
    }

    private string ReleaseOrRenew()
    {
        var (session, holder) = _holders.ElementAt(Random.Next(_holders.Count));
        if (Random.Next(2) == 0)
        {
            Assert.Equal(Model.IsHeld(session), Queue.Sessions!.Renew(session) is not null);
            if (Model.IsHeld(session))
                Model.Accept(session);
            return $"renew '{session}'";
        }
        holder.Release();
        if (Model.IsHeld(session))
            Model.Release(session);
        _holders.Remove(session);
        return $"give '{session}' back";
    }

    private string Receive()
    {
        var count = Random.Next(1, 4);
        if (!hasSessions)
            return Receive(new TestReceiver(Queue, count), Model.Receive("", count));
        if (_holders.Count == 0)
            return "nothing";
        var (session, holder) = _holders.ElementAt(Random.Next(_holders.Count));
        return Receive(holder.Receive(count), Model.IsHeld(session) ? Model.Receive(session, count) : []);
    }

    private string ReceiveDeferred()
    {
        var deferred = Model.Messages.Where(it => it.State == MessageState.Deferred).ToList();
        if (deferred.Count == 0)
            return "nothing";
        var entry = deferred[Random.Next(deferred.Count)];
        if (hasSessions && !Model.IsHeld(entry.Session))
            return "nothing";
        var mode = Random.Next(3) == 0 ? ReceiveMode.ReceiveAndDelete : ReceiveMode.PeekLock;
        var received = Queue.ReceiveDeferred([entry.Number], mode, sessionId: hasSessions ? entry.Session : null);
        if (entry.Expires <= Clock.GetUtcNow())
        {
            Assert.Null(received);
            Model.Expire(entry);
            return $"deferred {entry.Number} is over";
        }
        var (copy, held) = Assert.Single(received!);
        Assert.Equal(entry.Number, copy.SequenceNumber);
        if (held is null)
        {
            Model.Messages.Remove(entry);
            return $"take deferred {entry.Number}";
        }
        Model.Lock(entry);
        Keep(held, entry);
        return $"receive deferred {entry.Number}";
    }

    private string Drop()
    {
        switch (Random.Next(hasSessions ? 6 : 8))
        {
            case 0:
                Assert.Equal(Model.Drop(it => it.State != MessageState.Locked, int.MaxValue), Queue.Purge());
                return "purge";
            case <= 3:
                var scheduled = Model
                    .Messages.Where(it => it.State == MessageState.Scheduled)
                    .Min(it => (long?)it.Number)
                    ?? 0;
                Assert.Equal(Model.Drop(it => it.Number == scheduled, 1) == 1, Queue.CancelScheduled([scheduled]));
                return $"cancel {scheduled}";
            case <= 5:
                Assert.Equal(
                    Model.Drop(it => it.State == MessageState.Active, 1),
                    Queue.DeleteActive(1, DateTimeOffset.MaxValue)
                );
                return "delete one";
            default:
                var receiver = new TestReceiver(Queue, 2, ReceiveMode.ReceiveAndDelete);
                receiver.Close();
                Assert.Equal(Model.Drop(it => it.State == MessageState.Active, 2), receiver.Messages.Count);
                return "receive and delete";
        }
    }

    private string SettleDead()
    {
        var receiver = new TestReceiver(Queue.DeadLetterQueue!, 1);
        receiver.Close();
        if (receiver.Locks is not [var held])
            return "no dead letter";
        var isDone = Random.Next(2) == 0;
        Assert.Equal(
            QueueResult.Done,
            Queue.DeadLetterQueue!.Settle(held, isDone ? Settlement.Complete : new Settlement.Abandoned())
        );
        Model.Dead -= isDone ? 1 : 0;
        return "settle a dead letter";
    }

    // Whole milliseconds, like timers: with fractions, timer callbacks may be late by less than one.
    private TimeSpan RandomTime(TimeSpan most) =>
        TimeSpan.FromMilliseconds(1 + Random.Next((int)most.TotalMilliseconds - 1));

    protected virtual void Compare(string after)
    {
        var expected = Model.Messages.OrderBy(it => it.Number).Select(it => it.ToString());
        var found = Queue
            .Snapshot()
            .Messages.Select(it => $"{it.SequenceNumber} {it.Content.SessionId} {it.State} {it.DeliveryCount}");
        Assert.True(
            expected.SequenceEqual(found),
            $"{after}\nexpected {string.Join(", ", expected)}\nfound    {string.Join(", ", found)}"
        );
        Assert.True(Model.Dead == Queue.Counts().DeadLetter, $"{after}: dead letters");
        if (hasSessions)
            Assert.Equal(Model.Held.Order(), Sessions.Where(session => Queue.Sessions!.IsHeld(session)));
    }

    protected string Advance(TimeSpan by)
    {
        Model.AdvanceTo(Clock.GetUtcNow() + by);
        Clock.Advance(by);
        return $"{by} pass";
    }

    private string Receive(TestReceiver receiver, List<QueueModel.Entry> expected)
    {
        receiver.Close();
        Assert.Equal(expected.Select(it => it.Number), receiver.Locks.Select(it => it.SequenceNumber));
        foreach (var (held, entry) in receiver.Locks.Zip(expected))
            Keep(held, entry);
        return $"receive {receiver.Locks.Count}";
    }

    private void Keep(MessageLock held, QueueModel.Entry entry)
    {
        entry.Held = held;
        _locks.Add((held, entry));
    }

    protected (MessageLock Lock, QueueModel.Entry Entry)? AnyLock() =>
        _locks.Count == 0 ? null : _locks[Random.Next(_locks.Count)];

    /// <summary>Returns whether a token is still valid: it isn't valid for the next lock on the same message.</summary>
    protected bool IsHeld(MessageLock held, QueueModel.Entry entry) =>
        entry.Held == held && Model.Messages.Contains(entry) && entry.State == MessageState.Locked;

    private string Settle()
    {
        if (AnyLock() is not var (held, entry))
            return "nothing to settle";
        _locks.Remove((held, entry));
        var (settlement, isHeld) = (AnySettlement(), IsHeld(held, entry));
        var result = Queue.Settle(held, settlement);
        Assert.True(isHeld == (result == QueueResult.Done), $"Seed {seed}: {settlement} of {entry} was {result}");
        if (isHeld)
            Model.Settle(entry, settlement);
        return $"settle {entry.Number}: {settlement} {result}";
    }

    protected Settlement AnySettlement()
    {
        Dictionary<string, object?>? changes =
            Random.Next(2) == 0 ? null : new() { ["color"] = "red", [$"n{Random.Next(3)}"] = Random.Next() };
        return Random.Next(6) switch
        {
            0 => Settlement.Release,
            1 => new Settlement.Abandoned(changes),
            2 => new Settlement.Deferred(changes),
            3 => new Settlement.DeadLettered("why", "because", changes),
            _ => Settlement.Complete,
        };
    }
}
