namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class ForwardingTests : IDisposable
{
    private readonly ManualTimeProvider _clock = new();
    private readonly ServiceBusNamespace _entities;

    public ForwardingTests() => _entities = new ServiceBusNamespace(_clock) { Reader = new RuleMessageReader() };

    public void Dispose() => _entities.Dispose();

    [Fact]
    public void Messages_go_on_in_their_order_and_keep_their_first_numbers()
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
    public void A_message_that_its_target_does_not_take_becomes_a_transfer_dead_letter_and_stays_one(
        string obstacle,
        string reason
    )
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
    public void A_message_keeps_its_session_and_the_id_by_which_the_target_detects_duplicates()
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
    public void A_message_lives_no_longer_than_where_it_came_from()
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
    public void What_waits_goes_on_when_forwarding_begins_and_stays_when_it_ends()
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
    public async Task A_dead_letter_that_cannot_be_forwarded_tells_both_reasons()
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
    public async Task A_dead_letter_waits_until_its_target_accepts_it(string obstacle)
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
    public async Task A_dead_letter_that_waits_is_a_transfer_dead_letter_once_its_target_is_deleted()
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
    public void What_could_not_be_forwarded_counts_for_the_limit_of_its_queue()
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
    public void A_hop_and_all_copies_of_a_message_to_a_topic_are_one_move_for_the_journal()
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
    public void A_target_that_fails_takes_nothing_of_the_message_with_it()
    {
        using var entities = new ServiceBusNamespace(_clock);
        var end = entities.Create(new QueueOptions("end"));
        var start = entities.Create(
            new QueueOptions("start") { ForwardTo = "end", Status = EntityStatus.ReceiveDisabled }
        );
        start.Send("1");
        end.Fail(new InvalidOperationException("A defect."));
        entities.Update(start.Options with { Status = EntityStatus.Active });

        Assert.Null(start.Failure);
        Assert.Equal("InternalError", ReasonOf(Assert.Single(start.TransferDeadLetterQueue!.Peek(0, 10))));
    }

    [Fact]
    public void A_circle_through_a_topic_ends_after_four_hops()
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

    /// <summary>As from a link: nobody has read its ids so far. Larger than some targets take.</summary>
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
