namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class ForwardingTests : IDisposable
{
    private readonly ManualTimeProvider _clock = new();
    private readonly ServiceBusNamespace _entities;

    public ForwardingTests() => _entities = new ServiceBusNamespace(_clock) { Reader = new RuleMessageReader() };

    public void Dispose() => _entities.Dispose();

    [Fact]
    public void Forwarded_messages_keep_their_order_and_original_numbers()
    {
        var end = Create("end");
        var start = Create("start", "end");
        Send(end, "0");
        Send(start, "1", "2");

        Assert.Equal([("0", 1L, 1L), ("1", 2L, 1L), ("2", 3L, 2L)], end.Held());
        Assert.Equal(3, end.Counts().Incoming);
        Assert.Equal(
            (0L, 2L, 2L, 0L),
            (start.Counts().Active, start.Counts().Incoming, start.Counts().Completed, start.Counts().Outgoing)
        );
    }

    [Theory]
    [InlineData("deleted", "MessagingEntityNotFound")]
    [InlineData("disabled", "MessagingEntityDisabled")]
    [InlineData("full", "QuotaExceeded")]
    [InlineData("of small messages", "MessageSizeExceeded")]
    [InlineData("with sessions", DeadLetterReason.SessionIdIsNull)]
    public void Message_that_its_target_rejects_is_transfer_dead_lettered(string obstacle, string reason)
    {
        Create("end", configure: it =>
            it with
            {
                MaxSizeInMegabytes = 1,
                RequiresSession = obstacle == "with sessions",
            }
        );
        var start = Create("start", "end");
        Obstruct(obstacle);
        Send(start, "1");

        Assert.Equal(reason, ReasonOf(Assert.Single(start.TransferDeadLetterQueue!.Peek(0, 10))));
        Assert.Equal((0L, 1L), (start.Counts().Active, start.Counts().TransferDeadLetter));
        if (_entities.Find("end") is not null)
            _entities.Delete("end");
        var anew = Create("end");
        Send(start, "2");
        Assert.Equal(["2"], anew.Held().Select(it => it.Id));
        var held = new TestReceiver(start.TransferDeadLetterQueue!, 1).Locks[0];
        Assert.Equal(
            QueueResult.NotAllowed,
            start.TransferDeadLetterQueue!.Settle(held, new Settlement.DeadLettered())
        );
        Assert.Equal(QueueResult.Done, start.TransferDeadLetterQueue!.Settle(held, Settlement.Complete));
        Assert.Equal(0, start.Counts().TransferDeadLetter);
    }

    [Fact]
    public void Forwarded_message_keeps_its_session_and_message_id()
    {
        var end = Create("end", configure: it => it with { RequiresSession = true, RequiresDuplicateDetection = true });
        var start = Create("start", "end");
        start.Send(Content("1", "a"));
        start.Send(Content("1", "a"));
        end.Send(RuleMessages.Content(new MessageProperties { MessageId = "1", GroupId = "a" }));

        Assert.Single(TestSession.Ask(end, "a").Receive(5).Locks);
        Assert.Equal(2, end.Counts().Duplicates);
    }

    [Fact]
    public void Time_to_live_of_the_source_applies_to_a_forwarded_message()
    {
        var end = Create("end");
        var start = Create("start", "end", it => it with { DefaultMessageTimeToLive = TimeSpan.FromSeconds(10) });
        Send(start, "1");
        _clock.Advance(TimeSpan.FromSeconds(9));
        Assert.Equal(1, end.Counts().Active);
        _clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal((0L, 1L), (end.Counts().Active, end.Counts().Expired));
    }

    [Fact]
    public void Waiting_messages_are_forwarded_once_forwarding_is_enabled()
    {
        var end = Create("end");
        var start = Create("start");
        var began = new List<Queue>();
        _entities.QueueClosed += began.Add;
        Send(start, "1", "2");
        var held = new TestReceiver(start, 1).Locks[0];
        Update(start, it => it with { ForwardTo = "end" });
        Assert.Equal(["2"], end.Held().Select(it => it.Id));
        Assert.Equal([start], began);
        start.Settle(held, new Settlement.Abandoned());
        Assert.Equal(["2", "1"], end.Held().Select(it => it.Id));

        Update(start, it => it with { ForwardTo = null });
        Send(start, "3");
        Assert.Equal(["3"], start.Held().Select(it => it.Id));
        Assert.Single(new TestReceiver(start, 1).Locks);
    }

    [Fact]
    public async Task Unforwardable_dead_letter_reports_both_reasons()
    {
        Create("graveyard");
        var orders = Create("orders", configure: it => it with { ForwardDeadLetteredMessagesTo = "graveyard" });
        _entities.Delete("graveyard");
        Send(orders, "1");
        Assert.Equal(
            QueueResult.Done,
            orders.Settle(new TestReceiver(orders, 1).Locks[0], new Settlement.DeadLettered("why"))
        );
        await Eventually.TrueAsync(() => orders.Counts().TransferDeadLetter == 1);

        var dead = Assert.Single(orders.TransferDeadLetterQueue!.Peek(0, 10));
        Assert.Equal("MessagingEntityNotFound", ReasonOf(dead));
        Assert.EndsWith(
            ": why",
            (string)dead.ChangedProperties![DeadLetterReason.DescriptionProperty]!,
            StringComparison.Ordinal
        );
        Assert.Equal((0L, 1L), (orders.Counts().DeadLetter, orders.Counts().TransferDeadLetter));
    }

    [Theory]
    [InlineData("full")]
    [InlineData("disabled")]
    public async Task Dead_letter_waits_until_its_target_accepts_it(string obstacle)
    {
        var end = Create("end", configure: it => it with { MaxSizeInMegabytes = 1 });
        var orders = Create("orders", configure: it => it with { ForwardDeadLetteredMessagesTo = "end" });
        Obstruct(obstacle);
        Send(orders, "1");
        orders.Settle(new TestReceiver(orders, 1).Locks[0], new Settlement.DeadLettered("why"));
        for (var seconds = 0; seconds < 3; seconds++)
        {
            await TryAgainAsync();
            Assert.Equal((1L, 0L), (orders.Counts().DeadLetter, orders.Counts().TransferDeadLetter));
        }

        end.Purge();
        Update(end, it => it with { Status = EntityStatus.Active });
        await TryAgainAsync();

        Assert.Equal((0L, 0L), (orders.Counts().DeadLetter, orders.Counts().TransferDeadLetter));
        Assert.Equal("why", ReasonOf(Assert.Single(end.Peek(0, 10))));
    }

    [Fact]
    public async Task Waiting_dead_letter_is_transferred_when_target_is_deleted()
    {
        Create("end", configure: it => it with { MaxSizeInMegabytes = 1 });
        var orders = Create("orders", configure: it => it with { ForwardDeadLetteredMessagesTo = "end" });
        Obstruct("full");
        Send(orders, "1");
        orders.Settle(new TestReceiver(orders, 1).Locks[0], new Settlement.DeadLettered("why"));
        await TryAgainAsync();
        Assert.Equal((1L, 0L), (orders.Counts().DeadLetter, orders.Counts().TransferDeadLetter));
        _entities.Delete("end");
        await TryAgainAsync();

        Assert.Equal((0L, 1L), (orders.Counts().DeadLetter, orders.Counts().TransferDeadLetter));
    }

    [Fact]
    public void Transfer_dead_letters_count_toward_the_quota_of_their_queue()
    {
        Create("end");
        var start = Create("start", "end", it => it with { MaxSizeInMegabytes = 1, MaxMessageSize = 1024 * 1024 });
        _entities.Delete("end");
        for (var i = 0; i < 4; i++)
            start.Send(Content($"{i}") with { WireSize = 300_000 });

        Assert.Equal(QueueResult.QuotaExceeded, start.Enqueue([Content("1")], new long[1]));
        Assert.Equal(4, start.TransferDeadLetterQueue!.Purge());
        Send(start, "2");
    }

    [Fact]
    public void Forwarding_and_topic_copies_are_one_move_in_the_journal()
    {
        var journal = new RecordingJournal();
        using var entities = new ServiceBusNamespace(_clock) { Journal = journal };
        entities.Create(new QueueOptions("end"));
        var start = entities.Create(new QueueOptions("start") { ForwardTo = "end" });
        start.Send("1");
        entities.Delete("end");
        start.Send("2");
        var topic = entities.Create(new QueueOptions("news") { Kind = EntityKind.Topic });
        entities.Create(QueueOptions.OfSubscription("news", "one"));
        entities.Create(QueueOptions.OfSubscription("news", "two"));
        topic.Send("3");

        Assert.Equal(
            [
                "Arrived 1",
                "begin",
                "Arrived 1",
                "Completed 1",
                "end",
                "Arrived 2",
                "begin",
                "DeadLettered 2",
                "end",
                "Arrived 1",
                "begin",
                "Arrived 1",
                "Arrived 1",
                "Completed 1",
                "end",
            ],
            journal.Recorded
        );
    }

    [Fact]
    public void Failed_target_does_not_lose_the_message()
    {
        using var entities = new ServiceBusNamespace(_clock);
        var end = entities.Create(new QueueOptions("end"));
        var start = entities.Create(
            new QueueOptions("start") { ForwardTo = "end", Status = EntityStatus.ReceiveDisabled }
        );
        start.Send("1");
        end.Fail(new InvalidOperationException("Thrown by the test."));
        entities.Update(start.Options with { Status = EntityStatus.Active });

        Assert.Null(start.Failure);
        Assert.Equal("InternalError", ReasonOf(Assert.Single(start.TransferDeadLetterQueue!.Peek(0, 10))));
    }

    [Fact]
    public void Forwarding_loop_through_a_topic_ends_after_four_hops()
    {
        _entities.Create(new QueueOptions("news") { Kind = EntityKind.Topic });
        var start = Create("start", "news");
        var all = _entities.Create(QueueOptions.OfSubscription("news", "all") with { ForwardTo = "start" });
        Send(start, "1");

        var tooFar = Assert.Single(start.TransferDeadLetterQueue!.Peek(0, 10));
        Assert.Equal(
            (DeadLetterReason.TooManyHops, 4, 0),
            (ReasonOf(tooFar), tooFar.Hops, all.Counts().TransferDeadLetter)
        );
    }

    private async Task TryAgainAsync()
    {
        await Eventually.TrueAsync(() => _clock.HasTimerDueIn(TimeSpan.FromSeconds(1)));
        _clock.Advance(TimeSpan.FromSeconds(1));
    }

    private void Obstruct(string obstacle)
    {
        var end = _entities.Get("end");
        if (obstacle == "deleted")
            _entities.Delete("end");
        else if (obstacle == "disabled")
            Update(end, it => it with { Status = EntityStatus.SendDisabled });
        else if (obstacle == "of small messages")
            Update(end, it => it with { MaxMessageSize = 1024 });
        else if (obstacle == "full")
            end.Send(Content("large") with { WireSize = 1024 * 1024 });
    }

    private Queue Create(string name, string? forwardTo = null, Func<QueueOptions, QueueOptions>? configure = null)
    {
        var options = new QueueOptions(name) { ForwardTo = forwardTo };
        return _entities.Create(configure?.Invoke(options) ?? options);
    }

    private void Update(Queue queue, Func<QueueOptions, QueueOptions> change) =>
        _entities.Update(change(queue.Options));

    /// <summary>As from a link, its ids are unread. It is larger than some targets accept.</summary>
    private static MessageContent Content(string id, string? session = null) =>
        RuleMessages.Content(
            new MessageProperties
            {
                MessageId = id,
                GroupId = session,
                To = new string('x', 1024),
            }
        ) with
        {
            MessageId = null,
            SessionId = null,
        };

    private static void Send(Queue queue, params string[] ids)
    {
        foreach (var id in ids)
            queue.Send(Content(id));
    }

    private static string ReasonOf(QueuedMessage message) =>
        (string)message.ChangedProperties![DeadLetterReason.Property]!;
}
