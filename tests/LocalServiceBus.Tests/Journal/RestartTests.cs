using DroneDelivery.LocalServiceBus.Entities.Rules;
using DroneDelivery.LocalServiceBus.Journal;
using Microsoft.Data.Sqlite;

namespace DroneDelivery.LocalServiceBus.Tests.Journal;

public sealed class RestartTests : IAsyncLifetime
{
    private readonly string _folder = Directory.CreateTempSubdirectory("restart-").FullName;
    private readonly ManualTimeProvider _clock = new();
    private BrokerFixture _broker = null!;

    private Queue Orders => _broker.Broker.Entities.Get("orders");

    public async ValueTask InitializeAsync() => _broker = await StartAsync();

    public async ValueTask DisposeAsync()
    {
        await _broker.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Sessions_keep_messages_and_state_but_not_receivers()
    {
        _broker.CreateQueue(options => options with { RequiresSession = true }, "orders");
        foreach (var (session, text) in new[] { ("a", "a1"), ("b", "b1"), ("a", "a2") })
            Orders.Send(RuleMessages.Content(new MessageProperties { MessageId = text, GroupId = session }));
        Assert.Single(TestSession.Ask(Orders, "a").Receive(1).Locks);
        Orders.SetSessionState("a", [1, 2]);
        Assert.NotNull(TestSession.Ask(Orders, "c").Hold);
        Orders.SetSessionState("c", [3]);
        Orders.SetSessionState("c", null);
        await RestartAsync();

        var received = TestSession.Ask(Orders, "a").Receive(5).Messages;
        Assert.Equal(["a1", "b1", "a2"], Orders.Held().Select(it => it.Id));
        Assert.Equal([(1L, 0), (3L, 0)], received.Select(message => (message.SequenceNumber, message.DeliveryCount)));
        Assert.Equal([1, 2], Orders.Sessions!.StateOf("a").State!);
    }

    [Fact]
    public async Task Topics_keep_subscriptions_rules_and_messages()
    {
        var entities = _broker.Broker.Entities;
        entities.Create(new QueueOptions("news") { Kind = EntityKind.Topic, RequiresDuplicateDetection = true });
        entities.Create(QueueOptions.OfSubscription("news", "all"));
        var some = entities.Create(QueueOptions.OfSubscription("news", "some")).Subscription!;
        entities.Create(QueueOptions.OfSubscription("news", "gone"));
        some.RemoveRule(RuleDescription.DefaultName);
        some.AddRule(
            new RuleDescription("red")
            {
                Filter = FilterKind.Correlation,
                Correlation = new()
                {
                    Properties = new Dictionary<string, RuleValue> { ["color"] = RuleValue.Of("red") },
                },
                Action = "SET seen = TRUE",
            },
            _clock.GetUtcNow()
        );
        Publish("1", "red");
        Publish("2", "blue");
        Publish("3", "red", _clock.GetUtcNow() + TimeSpan.FromMinutes(5));
        entities.Delete("news/Subscriptions/gone");

        await RestartAsync();

        entities = _broker.Broker.Entities;
        Assert.Equal(
            ["all", "some"],
            entities.Get("news").Topic!.Subscriptions.Select(subscription => subscription.Name)
        );
        Assert.Equal(("SET seen = TRUE", "red"), (Rule().Action, Rule().Correlation!.Properties!["color"].Text));
        Assert.Equal((2L, 1L, 1L), (Held("all"), Held("some"), entities.Get("news").Counts().Scheduled));
        Publish("2", "blue"); // A known duplicate.
        _clock.Advance(TimeSpan.FromMinutes(5));
        Assert.Equal((3L, 2L, 0L), (Held("all"), Held("some"), entities.Get("news").Counts().Scheduled));
        entities.Delete("news");
        await RestartAsync();
        Assert.Empty(_broker.Broker.Entities.Topics);

        RuleDescription Rule() => Assert.Single(entities.Get("news/Subscriptions/some").Subscription!.Rules);

        long Held(string subscription) => entities.Get($"news/Subscriptions/{subscription}").Counts().Active;

        void Publish(string id, string color, DateTimeOffset? due = null) =>
            entities
                .Get("news")
                .Send(
                    RuleMessages.Content(new MessageProperties { MessageId = id }, ("color", color)) with
                    {
                        ScheduledEnqueueTime = due,
                    }
                );
    }

    [Fact]
    public async Task Forwarding_hops_and_transfer_dead_letters_are_restored()
    {
        var entities = _broker.Broker.Entities;
        foreach (var name in new[] { "f", "e", "d", "c", "b" })
            entities.Create(new QueueOptions(name));
        entities.Create(new QueueOptions("a") { ForwardTo = "b", ForwardDeadLetteredMessagesTo = "c" });
        entities.Create(new QueueOptions("graveyard"));
        var orders = entities.Create(new QueueOptions("orders") { ForwardDeadLetteredMessagesTo = "graveyard" });
        orders.Send("dead");
        orders.Settle(new TestReceiver(orders, 1).Locks[0], new Settlement.DeadLettered("why"));
        await Eventually.TrueAsync(() => entities.Get("graveyard").Counts().Active == 1);
        entities.Get("a").Send("1");
        Assert.Equal(1, entities.Get("b").Counts().Active);
        await RestartAsync();
        entities = _broker.Broker.Entities;
        foreach (var (from, to) in new[] { ("e", "f"), ("d", "e"), ("c", "d"), ("b", "c") })
            entities.Update(entities.Get(from).Options with { ForwardTo = to });
        entities.Get("a").Send("2");
        entities.Get("b").Send("3");
        await RestartAsync();

        entities = _broker.Broker.Entities;
        Assert.Equal("c", entities.Get("a").Options.ForwardDeadLetteredMessagesTo);
        Assert.Equal(["3"], entities.Get("f").Peek(0, 10).Select(QueueFixture.TextOf));
        var tooFar = entities.Get("e").TransferDeadLetterQueue!;
        Assert.Equal(
            [("1", 1L, 4), ("2", 2L, 4)],
            tooFar.Peek(0, 10).Select(it => (QueueFixture.TextOf(it), it.SequenceNumber, it.Hops))
        );
        Assert.Equal(DeadLetterReason.TooManyHops, tooFar.Peek(0, 1)[0].ChangedProperties![DeadLetterReason.Property]);
        entities.Get("a").Send("4");
        Assert.Equal(3, tooFar.Peek(0, 10)[^1].SequenceNumber);
        var buried = Assert.Single(entities.Get("graveyard").Peek(0, 10));
        Assert.Equal(
            ("orders", "why", 1),
            (buried.DeadLetterSource, buried.ChangedProperties![DeadLetterReason.Property], buried.Hops)
        );
    }

    [Fact]
    public Task Moved_message_is_stored_only_after_its_arrival() =>
        WithoutBrokerAsync(
            (entities, journal) =>
            {
                var kept = Task.CompletedTask;
                Assert.True(
                    journal.TryMove(() =>
                    {
                        entities.Create(new QueueOptions("orders")).Send("a");
                        kept = entities.StoredAsync();
                        Assert.True(
                            SpinWait.SpinUntil(() => journal.WaitsForMove || kept.IsCompleted, TimeSpan.FromSeconds(60))
                        );
                        Assert.False(kept.IsCompleted);
                    })
                );
                Assert.True(SpinWait.SpinUntil(() => kept.IsCompleted, TimeSpan.FromSeconds(60)));
            }
        );

    [Fact]
    public async Task Stopping_broker_starts_no_move_and_dead_letters_nothing()
    {
        await WithoutBrokerAsync(
            (entities, journal) =>
            {
                entities.Create(new QueueOptions("end"));
                var start = entities.Create(
                    new QueueOptions("orders") { Status = EntityStatus.ReceiveDisabled, ForwardTo = "end" }
                );
                start.Send("a");
                journal.EndMoves();
                entities.Update(start.Options with { Status = EntityStatus.Active });
                Assert.Equal((1L, 0L), (start.Counts().Active, entities.Get("end").Counts().Active));
            }
        );

        Assert.Equal((0L, 0L), (Orders.Counts().Active, Orders.Counts().TransferDeadLetter));
        Assert.Equal(1, _broker.Broker.Entities.Get("end").Counts().Active);
    }

    [Fact]
    public async Task Known_ids_are_restored()
    {
        _broker.CreateQueue(options => options with { RequiresDuplicateDetection = true }, "orders");
        Orders.Send("a\0b");
        Orders.Settle(new TestReceiver(Orders, 1).Locks[0], Settlement.Complete);

        await RestartAsync();
        var numbers = new long[3];
        Orders.Enqueue(
            [QueueFixture.Content("a\0b"), QueueFixture.Content("a"), QueueFixture.Content("a\0c")],
            numbers
        );

        Assert.Equal([0, 2, 3], numbers);
        _clock.Advance(Orders.Options.DuplicateDetectionHistoryTimeWindow);
        await RestartAsync();
        Orders.Enqueue([QueueFixture.Content("a\0b")], numbers);
        Assert.Equal(4, numbers[0]);
    }

    [Fact]
    public void Id_is_recorded_after_its_message()
    {
        var journal = new RecordingJournal();
        using var entities = new ServiceBusNamespace(TimeProvider.System) { Journal = journal };
        var queue = entities.Create(new QueueOptions("orders") { RequiresDuplicateDetection = true });

        queue.Enqueue([QueueFixture.Content("a"), QueueFixture.Content("a")], new long[2]);

        Assert.Equal(["Arrived 1", "seen a"], journal.Recorded);
    }

    [Fact]
    public async Task Session_state_set_during_deletion_is_not_restored()
    {
        var deleted = _broker.CreateQueue(options => options with { RequiresSession = true }, "orders");
        Assert.NotNull(TestSession.Ask(deleted, "a").Hold);
        _broker.Broker.Entities.Delete("orders");
        await _broker.Broker.Entities.StoredAsync();
        deleted.SetSessionState("a", [1]); // From a client that has not yet been notified.

        await RestartAsync();
        _broker.CreateQueue(name: "orders"); // Uses the released key.
        await RestartAsync();
        Assert.Equal(0, Orders.Counts().Active);
    }

    [Fact]
    public async Task Queues_are_restored_with_their_latest_description()
    {
        _broker.CreateQueue(name: "orders");
        var gone = _broker.CreateQueue(name: "gone");
        _broker.Broker.Entities.Update(Orders.Options with { MaxDeliveryCount = 3, UserMetadata = "here" });
        Orders.Send("a");
        _broker.Broker.Entities.Delete("gone");
        Assert.Equal(EntityFailure.NotFound, Assert.Throws<EntityException>(() => gone.Update(gone.Options)).Failure);

        await RestartAsync();

        Assert.Equal((3, "here"), (Orders.Options.MaxDeliveryCount, Orders.Options.UserMetadata));
        Assert.Null(_broker.Broker.Entities.Find("gone"));
        _broker.CreateQueue(name: "gone");
        Assert.Equal(0, _broker.Broker.Entities.Get("gone").Counts().Active);
    }

    [Fact]
    public async Task Folder_in_use_or_with_an_unknown_file_is_rejected()
    {
        Assert.Contains("in use by another broker", await RejectionAsync(), StringComparison.Ordinal);

        await _broker.DisposeAsync();
        var file = Path.Combine(_folder, JournalFile.Name);
        await using (var connection = new SqliteConnection($"Data Source={file};Pooling=False"))
        {
            connection.Open();
            using var command = connection.CreateCommand();
            command.CommandText = "pragma user_version = 2";
            command.ExecuteNonQuery();
        }
        Assert.StartsWith($"{file} has version 2", await RejectionAsync(), StringComparison.Ordinal);

        await File.WriteAllTextAsync(file, new string('x', 5000), Cancel);
        var refusal = await RejectionAsync();
        Assert.Contains(_folder, refusal, StringComparison.Ordinal);
        Assert.Contains("--data", refusal, StringComparison.Ordinal);

        async Task<string> RejectionAsync() => (await Assert.ThrowsAsync<BrokerStartException>(StartAsync)).Message;
    }

    [Fact]
    public async Task Journal_file_shrinks_with_its_queues()
    {
        var queue = _broker.CreateQueue(name: "orders");
        for (var round = 0; round < 3; round++)
        {
            var contents = Enumerable.Range(0, 1500).Select(_ => new MessageContent(new byte[10_000])).ToArray();
            Assert.Equal(QueueResult.Done, queue.Enqueue(contents, new long[1500]));
            await _broker.Broker.Entities.StoredAsync();
            Assert.Equal(1500, queue.Purge());
            await _broker.Broker.Entities.StoredAsync();
        }
        Assert.InRange(Size(), 10_000_000, 35_000_000);
        for (var i = 0; i < 300; i++) // Space is released with a delay.
        {
            queue.Send("a");
            await _broker.Broker.Entities.StoredAsync();
        }
        await _broker.DisposeAsync();

        Assert.Equal([JournalFile.Name], Directory.GetFiles(_folder).Select(Path.GetFileName));
        Assert.InRange(Size(), 1, 5_000_000);

        // Takes the larger of both files: the first one may not yet contain the last commits.
        long Size() => new DirectoryInfo(_folder).GetFiles().Max(file => file.Length);
    }

    private Task<BrokerFixture> StartAsync() =>
        BrokerFixture.StartAsync(
            new LocalServiceBusOptions
            {
                Port = 0,
                TimeProvider = _clock,
                DataFolder = _folder,
            },
            Cancel
        );

    private async Task WithoutBrokerAsync(Action<ServiceBusNamespace, BrokerJournal> act)
    {
        await _broker.DisposeAsync();
        await using (var journal = new BrokerJournal(JournalFile.Open(_folder), new Defects()))
        {
            using var entities = new ServiceBusNamespace(_clock) { Journal = journal };
            act(entities, journal);
        }
        _broker = await StartAsync();
    }

    private async Task RestartAsync()
    {
        await _broker.DisposeAsync();
        _broker = await StartAsync();
    }
}
