using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class IdleEntitiesTests : IDisposable
{
    private static readonly TimeSpan Idle = TimeSpan.FromMinutes(5),
        Minute = TimeSpan.FromMinutes(1);

    private readonly ManualTimeProvider _clock = new();
    private readonly FaultyTimeProvider _faulty;
    private readonly ServiceBusNamespace _entities;

    public IdleEntitiesTests()
    {
        _faulty = new FaultyTimeProvider(_clock);
        _entities = new ServiceBusNamespace(_faulty);
    }

    public void Dispose() => _entities.Dispose();

    public static TheoryData<string> Uses =>
        ["send", "receive", "receive a dead letter", "settle", "peek", "update", "accept a session", "forward to it"];

    [Theory, MemberData(nameof(Uses))]
    public void Each_use_postpones_the_deletion(string use)
    {
        var queue = Create(it => it with { RequiresSession = use == "accept a session" });
        var held = use == "settle" ? SendAndReceive(queue) : null;
        _clock.Advance(4 * Minute);
        Use(queue, use, held);
        AssertEndsWhenIdle(queue);
    }

    [Fact]
    public void Waiting_receiver_keeps_its_queue()
    {
        var queue = Create();
        var receiver = new TestReceiver(queue, 1);
        _clock.Advance(10 * Idle);
        Assert.False(queue.IsDeleted);
        receiver.Close();
        receiver.Close();
        AssertEndsWhenIdle(queue);
    }

    [Fact]
    public void Waiting_session_request_keeps_its_queue()
    {
        var queue = Create(it => it with { RequiresSession = true });
        TestSession.Ask(queue, sessionId: null, patience: 20 * Idle);
        _clock.Advance(10 * Idle);

        Assert.False(queue.IsDeleted);
    }

    [Fact]
    public void Scheduled_message_keeps_its_queue()
    {
        var queue = Create();
        queue.Send(QueueFixture.Content("1") with { ScheduledEnqueueTime = _clock.GetUtcNow() + 10 * Idle });
        _clock.Advance(10 * Idle);
        Assert.False(queue.IsDeleted);
        AssertEndsWhenIdle(queue); // The idle time starts when the message is due.
    }

    [Fact]
    public void Sending_to_a_topic_does_not_keep_an_idle_subscription()
    {
        var topic = _entities.Create(new QueueOptions("news") { Kind = EntityKind.Topic }).Topic!;
        var options = QueueOptions.OfSubscription("news", "one") with { AutoDeleteOnIdle = Idle };
        var one = _entities.Create(options).Subscription!;
        var two = _entities.Create(options with { Name = "news/Subscriptions/two" }).Subscription!;
        _clock.Advance(4 * Minute);
        topic.Intake.Send("1");
        one.AddRule(new RuleDescription("more"), _clock.GetUtcNow());
        _clock.Advance(2 * Minute);

        Assert.Equal((false, true), (one.Queue.IsDeleted, two.Queue.IsDeleted));
        Assert.Equal("one", Assert.Single(topic.Subscriptions).Name);
        _clock.Advance(3 * Minute);
        Assert.Empty(topic.Subscriptions);
        Assert.False(topic.Intake.IsDeleted);
    }

    [Fact]
    public void Topic_is_kept_by_use_of_any_subscription()
    {
        var topic = _entities
            .Create(new QueueOptions("news") { Kind = EntityKind.Topic, AutoDeleteOnIdle = Idle })
            .Topic!;
        var one = _entities.Create(QueueOptions.OfSubscription("news", "one"));
        _clock.Advance(4 * Minute);
        one.Peek(0, 1);
        _clock.Advance(4 * Minute);
        Assert.False(topic.Intake.IsDeleted);
        _clock.Advance(Minute);

        Assert.True(topic.Intake.IsDeleted && one.IsDeleted);
        Assert.Empty(_entities.Topics);
    }

    [Fact]
    public void Update_starts_and_stops_the_idle_time()
    {
        var deleted = new List<string>();
        _entities.QueueClosed += it => deleted.Add(it.Name);
        var queue = _entities.Create(new QueueOptions("orders"));
        _clock.Advance(10 * Idle);
        _entities.Update(queue.Options with { AutoDeleteOnIdle = Idle });
        _clock.Advance(4 * Minute);
        _entities.Update(queue.Options with { AutoDeleteOnIdle = TimeSpan.MaxValue });
        _clock.Advance(2 * Idle);
        Assert.False(queue.IsDeleted);
        _entities.Update(queue.Options with { AutoDeleteOnIdle = Idle });
        AssertEndsWhenIdle(queue);

        Assert.Equal(["orders"], deleted);
        Assert.Equal(QueueResult.Disabled, queue.Enqueue([QueueFixture.Content("late")], new long[1]));
    }

    [Fact]
    public void Queue_used_at_the_last_moment_is_not_deleted()
    {
        var queue = Create();
        _clock.Advance(4 * Minute);
        queue.Send("1");
        Assert.False(queue.TryRetire(Idle));
        _entities.Delete("orders");
        var other = Create();
        _entities.DeleteRetired(queue);

        Assert.False(other.IsDeleted);
        Assert.Same(other, _entities.Get("orders"));
    }

    [Fact]
    public void Defect_is_reported_and_the_next_check_still_runs()
    {
        var queue = Create();
        _clock.Advance(Minute);
        _faulty.BreakOnce();
        _clock.Advance(Minute);
        Assert.Equal((1L, false), (_entities.Defects.Count, queue.IsDeleted));
        _clock.Advance(3 * Minute);

        Assert.True(queue.IsDeleted);
    }

    private void AssertEndsWhenIdle(Queue queue)
    {
        _clock.Advance(Idle - TimeSpan.FromSeconds(1));
        Assert.False(queue.IsDeleted);
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.True(queue.IsDeleted);
    }

    private Queue Create(Func<QueueOptions, QueueOptions>? configure = null)
    {
        var options = new QueueOptions("orders") { AutoDeleteOnIdle = Idle, LockDuration = Idle };
        return _entities.Create(configure?.Invoke(options) ?? options);
    }

    private void Use(Queue queue, string use, MessageLock? held)
    {
        Action act = use switch
        {
            "send" => () => queue.Send("1"),
            "receive" => () => new TestReceiver(queue, 1).Close(),
            "receive a dead letter" => () => new TestReceiver(queue.DeadLetterQueue!, 1).Close(),
            "settle" => () => queue.Settle(held!, Settlement.Complete),
            "peek" => () => queue.Peek(0, 1),
            "update" => () => _entities.Update(queue.Options with { MaxDeliveryCount = 3 }),
            "accept a session" => () => TestSession.Ask(queue, "a").Release(),
            _ => () => _entities.Create(new QueueOptions("start") { ForwardTo = "orders" }).Send("1"),
        };
        act();
    }

    private static MessageLock SendAndReceive(Queue queue)
    {
        queue.Send("1");
        var receiver = new TestReceiver(queue, 1);
        receiver.Close();
        return receiver.Locks[0];
    }
}
