namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class SessionTests : IDisposable
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);

    private readonly QueueFixture _fixture = new(options =>
        options with
        {
            RequiresSession = true,
            MaxDeliveryCount = 3,
        }
    );

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Released_session_is_not_handed_over_recursively()
    {
        var (depth, depths) = (0, new List<int>());
        for (var i = 0; i < 10; i++)
            _fixture.Queue.Sessions!.Accept(new Calling(null, Release));
        _fixture.SendTo("a", "1");

        Assert.Equal(Enumerable.Repeat(1, 10), depths);

        void Release(SessionHold hold)
        {
            depths.Add(++depth);
            _fixture.Queue.Sessions!.Release(hold);
            depth--;
        }
    }

    [Fact]
    public void Request_that_cannot_be_rejected_does_not_block_others()
    {
        _fixture.Queue.Sessions!.Accept(
            new Calling(null, onRefused: () => throw new InvalidOperationException("The answer does not fit."))
        );
        var other = _fixture.Accept();
        _fixture.DeleteQueue();

        Assert.Equal(QueueResult.Deleted, other.Refusal);
    }

    [Fact]
    public void Many_expired_messages_do_not_delay_the_last_message()
    {
        TestReceiver? receiver = null;
        // Created before the messages, this timer fires before the queue's own.
        using var atTheEnd = _fixture.Clock.CreateTimer(
            _ => receiver = _fixture.Accept("a").Receive(10),
            null,
            TimeSpan.FromSeconds(10),
            Timeout.InfiniteTimeSpan
        );
        for (var i = 0; i <= Queue.MaxPerHold; i++)
            _fixture.Send(QueueFixture.Content("brief", "a") with { TimeToLive = TimeSpan.FromSeconds(10) });
        _fixture.SendTo("a", "last");
        _fixture.Clock.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal(["last"], receiver!.Texts);
    }

    [Fact]
    public void Next_session_is_the_one_that_has_waited_longest()
    {
        _fixture.SendTo("b", "1");
        _fixture.SendTo("a", "2");
        _fixture.SendTo("c", "3");
        _fixture.Accept("a");

        Assert.Equal("b", _fixture.Accept().Id);
        Assert.Equal("c", _fixture.Accept().Id);
        Assert.Null(_fixture.Accept().Id);
    }

    [Fact]
    public void Waiting_receivers_get_sessions_in_FIFO_order()
    {
        var first = _fixture.Accept();
        var second = _fixture.Accept();
        Assert.Null(first.Id);
        _fixture.SendTo("a", "1");
        _fixture.SendTo("a", "2");
        _fixture.SendTo("b", "3");

        Assert.Equal(("a", "b"), (first.Id, second.Id));
        Assert.Equal(["1", "2"], first.Receive(10).Texts);
    }

    [Fact]
    public void Released_session_goes_to_the_waiting_receiver()
    {
        _fixture.SendTo("a", "1", "2");
        var holder = _fixture.Accept();
        holder.Receive(1);
        var waiting = _fixture.Accept();
        holder.Release();

        Assert.Equal("a", waiting.Id);
        var receiver = waiting.Receive(10);
        _fixture.SendTo("a", "3", "4"); // One after the other.
        Assert.Equal(["1", "2", "3", "4"], receiver.Texts);
    }

    [Fact]
    public void Session_lock_expires_at_its_time_even_if_the_timer_is_late()
    {
        (QueueResult Settled, DateTimeOffset? Renewed)? late = null;
        TestReceiver? receiver = null,
            next = null;
        // Created before the lock, this timer fires before the queue's own.
        using var atTheEnd = _fixture.Clock.CreateTimer(
            _ =>
            {
                late = (
                    _fixture.Queue.Settle(receiver!.Locks[0], Settlement.Complete),
                    _fixture.Queue.Sessions!.Renew("a")
                );
                _fixture.SendTo("a", "2");
                next = _fixture.Accept("a").Receive(5);
            },
            null,
            LockDuration,
            Timeout.InfiniteTimeSpan
        );
        _fixture.SendTo("a", "1");
        receiver = _fixture.Accept("a").Receive(5);
        _fixture.Clock.Advance(LockDuration);

        Assert.Equal((QueueResult.SessionLockLost, null), late);
        Assert.Equal(["1"], receiver.Texts);
        Assert.Equal(
            [("1", 1), ("2", 0)],
            next!.Messages.Select(message => (QueueFixture.TextOf(message), message.DeliveryCount))
        );
    }

    [Fact]
    public void Deferred_message_belongs_to_its_session()
    {
        _fixture.SendTo("a", "1");
        var session = _fixture.Accept("a");
        _fixture.Queue.Settle(session.Receive(1).Locks[0], new Settlement.Deferred());
        Assert.Null(_fixture.Queue.ReceiveDeferred([1], ReceiveMode.PeekLock, sessionId: "b"));
        var (_, held) = Assert.Single(_fixture.Queue.ReceiveDeferred([1], ReceiveMode.PeekLock, sessionId: "a")!);
        session.Release();

        Assert.Equal(QueueResult.SessionLockLost, _fixture.Queue.Settle(held!, Settlement.Complete));
        // Requested while the receiver held the session, and lost with the session lock.
        Assert.Null(_fixture.Queue.ReceiveDeferred([1], ReceiveMode.PeekLock, sessionId: "a"));
        Assert.Equal(1, _fixture.Queue.Counts().Deferred);
        Assert.Null(_fixture.Accept().Id); // The session contains nothing to receive.
    }

    [Fact]
    public void Scheduled_message_makes_its_session_available_when_due()
    {
        var due = _fixture.Clock.GetUtcNow() + TimeSpan.FromSeconds(10);
        _fixture.Send(QueueFixture.Content("later", "a") with { ScheduledEnqueueTime = due });
        var waiting = _fixture.Accept();
        Assert.Null(waiting.Id);
        _fixture.Clock.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal("a", waiting.Id);
        Assert.Equal(["later"], waiting.Receive(1).Texts);
    }

    [Fact]
    public void Receiver_that_gets_a_session_during_a_failure_is_notified()
    {
        TestSession? second = null;
        _fixture.Queue.Sessions!.Accept(new Calling("a", _ =>
            {
                second = _fixture.Accept("b");
                _fixture.Queue.Fail(new InvalidOperationException("Thrown by the test."));
            }));

        Assert.True(SpinWait.SpinUntil(() => second!.Refusal is not null, TimeSpan.FromSeconds(60)));
        Assert.Equal((null, QueueResult.Failed), (second!.Hold, second.Refusal));
    }

    [Fact]
    public void Batch_is_rejected_when_one_message_has_no_session()
    {
        Assert.Equal(
            QueueResult.NoSession,
            _fixture.Queue.Enqueue([QueueFixture.Content("1", "a"), QueueFixture.Content("2")], new long[2])
        );
        Assert.Equal(0, _fixture.Queue.Counts().Incoming);
    }

    [Fact]
    public void Session_occupies_memory_only_with_messages_or_state()
    {
        var session = _fixture.Accept("a");
        Assert.True(_fixture.Queue.SizeInBytes >= 1024);
        _fixture.Queue.SetSessionState("a", new byte[5000]);
        session.Release();
        Assert.InRange(_fixture.Queue.SizeInBytes, 6000, 7000);
        session = _fixture.Accept("a");
        _fixture.Queue.SetSessionState("a", null);
        session.Release();
        Assert.Equal(0, _fixture.Queue.SizeInBytes);
    }

    private sealed class Calling(string? sessionId, Action<SessionHold>? onGiven = null, Action? onRefused = null)
        : SessionRequest(sessionId, TimeSpan.FromMinutes(1))
    {
        public override void OnAssigned(SessionHold hold) => onGiven?.Invoke(hold);

        public override void OnRejected(QueueResult why) => onRefused?.Invoke();

        public override void OnLost() { }
    }
}
