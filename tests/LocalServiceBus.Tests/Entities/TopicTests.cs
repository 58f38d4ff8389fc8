using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class TopicTests : IDisposable
{
    private readonly ManualTimeProvider _clock = new();
    private readonly ServiceBusNamespace _entities;
    private readonly Topic _topic;

    public TopicTests()
    {
        _entities = new ServiceBusNamespace(_clock) { Reader = new RuleMessageReader() };
        _topic = _entities.Create(new QueueOptions("orders") { Kind = EntityKind.Topic }).Topic!;
    }

    public void Dispose() => _entities.Dispose();

    [Fact]
    public void Subscriptions_get_each_message_with_their_own_numbers()
    {
        Send("0");
        var first = Subscribe("first");
        Send("1");
        var second = Subscribe("second");
        Send("2");

        Assert.Equal([("1", 1L, 2L), ("2", 2L, 3L)], first.Held());
        Assert.Equal([("2", 1L, 3L)], second.Held());
        Assert.Equal(
            (3L, 3L, 0L),
            (_topic.Intake.Counts().Incoming, _topic.Intake.Counts().Completed, _topic.Intake.Counts().SizeInBytes)
        );
    }

    [Fact]
    public void Each_rule_with_an_action_adds_a_copy()
    {
        var subscription = Subscribe(
            "copies",
            new RuleDescription("a"),
            new RuleDescription("b"),
            new RuleDescription("c") { Action = "SET by = 'c'" },
            Sql("d", "color = 'red'") with
            {
                Action = "SET by = 'd'; REMOVE color",
            },
            Sql("e", "color = 'blue'") with
            {
                Action = "SET by = 'e'",
            }
        );
        Send("1", ("color", "red"));

        Assert.Equal(
            ["color=red", "RuleName=c,by=c,color=red", "RuleName=d,by=d"],
            subscription
                .Peek(0, 10)
                .Select(message =>
                    string.Join(
                        ',',
                        PropertiesOf(message)
                            .OrderBy(it => it.Key, StringComparer.Ordinal)
                            .Select(it => $"{it.Key}={it.Value}")
                    )
                )
        );
    }

    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public void Message_that_fails_all_filters_is_dead_lettered_if_enabled(bool wanted, int expected)
    {
        var strict = QueueOptions.OfSubscription("orders", "strict") with
        {
            Rules = [Sql("order", "color > 5")],
            DeadLetteringOnFilterEvaluationExceptions = wanted,
        };
        var subscription = _entities.Create(strict);
        var both = Subscribe("both", Sql("bad", "color > 5"), Sql("good", "color = 'red'"));
        Send("1", ("color", "red"));

        Assert.Empty(subscription.Held());
        var dead = subscription.DeadLetterQueue!.Peek(0, 10);
        Assert.Equal(expected, dead.Count);
        if (wanted)
        {
            Assert.Contains(
                "order",
                (string)dead[0].ChangedProperties![DeadLetterReason.DescriptionProperty]!,
                StringComparison.Ordinal
            );
        }

        Assert.Equal((1, 0L), (both.Held().Count, both.Counts().DeadLetter));
    }

    [Fact]
    public void Unreadable_message_is_dead_lettered_if_a_filter_reads_it()
    {
        Queue[] all = [Subscribe("all-1"), Subscribe("all-2"), Subscribe("all-3")];
        var red = Subscribe("red", Sql("red", "color = 'red'"));
        var content = RuleMessages.Content(new MessageProperties { MessageId = "1" }, ("x", "~"));
        var bytes = content.Body.ToArray();
        bytes[Array.IndexOf(bytes, (byte)'~')] = 0xFF; // Not valid UTF-8.
        _topic.Intake.Send(content with { Body = bytes });

        Assert.All(all, subscription => Assert.Equal(1, subscription.Counts().Active));
        Assert.Equal((0L, 1L), (red.Counts().Active, red.Counts().DeadLetter));
        Assert.Equal((0L, 0L), (_topic.Intake.Counts().Active, _topic.Intake.Counts().DeadLetter));
    }

    [Theory]
    [InlineData("a session id of 129 characters", "SET sys.SessionId = [129]")]
    [InlineData(
        "a property that grows without end",
        "SET sys.To = [129] + [129]; SET sys.To = sys.To + sys.To; SET sys.To = sys.To + sys.To; SET sys.To = sys.To + sys.To;"
            + " SET sys.To = sys.To + sys.To; SET sys.To = sys.To + sys.To; SET sys.To = sys.To + sys.To; SET sys.To = sys.To + sys.To;"
            + " SET sys.To = sys.To + sys.To; SET sys.To = sys.To + sys.To; SET sys.To = 'x'"
    )]
    [InlineData(
        "a message that the topic would not take",
        "SET a = [129] + [129] + [129] + [129]; SET b = a; SET c = a; SET sys.To = a"
    )]
    public void Action_with_an_invalid_result_fails(string what, string action)
    {
        _entities.Update(_topic.Intake.Options with { MaxMessageSize = 2048 });
        var subscription = Subscribe("one", new RuleDescription("make") { Action = action });
        Send("1", ("129", new string('x', 129)));

        Assert.True(subscription.Counts() is { Active: 0, DeadLetter: 1 }, what);
    }

    [Fact]
    public void Original_properties_do_not_count_toward_the_limit_of_actions()
    {
        var subscription = Subscribe("one", new RuleDescription("r") { Action = "SET a = 1" });
        Send("1", ("large", new string('x', 60_000)));

        Assert.Equal(1, subscription.Counts().Active);
    }

    [Fact]
    public void Rule_that_fails_by_a_defect_affects_only_its_subscription()
    {
        using var entities = new ServiceBusNamespace(_clock) { Reader = new DefectiveReader() };
        var topic = entities.Create(new QueueOptions("orders") { Kind = EntityKind.Topic }).Topic!;
        var all = entities.Create(QueueOptions.OfSubscription("orders", "all"));
        var red = entities.Create(
            QueueOptions.OfSubscription("orders", "red") with
            {
                Rules = [Sql("red", "color = 'red'")],
            }
        );
        topic.Intake.Send("1");

        Assert.Equal((1L, 0L, 1L), (all.Counts().Active, red.Counts().Active, red.Counts().DeadLetter));
        Assert.Equal((1L, null), (entities.Defects.Count, topic.Intake.Failure));
    }

    [Fact]
    public void Message_without_a_session_is_dead_lettered()
    {
        var options = QueueOptions.OfSubscription("orders", "sessions") with { RequiresSession = true };
        var subscription = _entities.Create(options);
        var given = _entities.Create(
            options with
            {
                Name = "orders/Subscriptions/given",
                Rules = [new RuleDescription("by") { Action = "SET sys.SessionId = color" }],
            }
        );
        Send("1", ("color", "red"));
        _topic.Intake.Send(
            RuleMessages.Content(new MessageProperties { MessageId = "2", GroupId = "a" }, ("color", "blue"))
        );

        Assert.Equal(["2"], subscription.Held().Select(message => message.Id));
        Assert.Single(TestSession.Ask(subscription, "a").Receive(5).Locks);
        Assert.Equal(
            DeadLetterReason.SessionIdIsNull,
            Assert.Single(subscription.DeadLetterQueue!.Peek(0, 10)).ChangedProperties![DeadLetterReason.Property]
        );
        Assert.Single(TestSession.Ask(given, "red").Receive(5).Locks);
    }

    [Fact]
    public void Shortest_of_all_times_to_live_applies_to_a_topic_message()
    {
        _entities.Update(_topic.Intake.Options with { DefaultMessageTimeToLive = TimeSpan.FromSeconds(30) });
        var (brief, patient) = (
            _entities.Create(
                QueueOptions.OfSubscription("orders", "brief") with
                {
                    DefaultMessageTimeToLive = TimeSpan.FromSeconds(10),
                }
            ),
            Subscribe("patient")
        );
        Send("1");
        _topic.Intake.Send(
            RuleMessages.Content(new MessageProperties { MessageId = "2" }) with
            {
                TimeToLive = TimeSpan.FromSeconds(5),
            }
        );
        _clock.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(["1", "1"], [.. Ids(brief), .. Ids(patient)]);
        _clock.Advance(TimeSpan.FromSeconds(5));
        Assert.Empty(Ids(brief));
        Assert.Equal(["1"], Ids(patient));
        _clock.Advance(TimeSpan.FromSeconds(20));
        Assert.Empty(Ids(patient));

        static string[] Ids(Queue queue) => [.. queue.Held().Select(message => message.Id)];
    }

    [Fact]
    public void Messages_in_subscriptions_count_toward_the_topics_quota()
    {
        _entities.Update(_topic.Intake.Options with { MaxSizeInMegabytes = 1 });
        Subscribe("one");
        var large = RuleMessages.Content(new MessageProperties { MessageId = "large" }) with { WireSize = 300_000 };
        for (var i = 0; i < 4; i++)
            _topic.Intake.Send(large);

        Assert.Equal(QueueResult.QuotaExceeded, _topic.Intake.Enqueue([large], new long[1]));
        Assert.InRange(_topic.Intake.SizeInBytes, 1_200_000, 1_300_000);
    }

    [Fact]
    public void Update_keeps_rules_and_their_creation_times()
    {
        Subscribe("one", Sql("red", "color = 'red'"));
        var created = _clock.GetUtcNow();
        _clock.Advance(TimeSpan.FromMinutes(1));
        _entities.Update(QueueOptions.OfSubscription("orders", "one") with { MaxDeliveryCount = 3 });
        Assert.Equal((3, "red"), (Find("one").Queue.Options.MaxDeliveryCount, Assert.Single(Find("one").Rules).Name));
        Find("one").ReplaceRules([Sql("RED", "color = 'blue'"), Sql("more", "1=1")]);

        Assert.Equal(
            [("RED", created), ("more", _clock.GetUtcNow())],
            Find("one").Rules.Select(rule => (rule.Name, rule.CreatedAt))
        );
    }

    [Fact]
    public void Topic_is_deleted_with_its_subscriptions()
    {
        var subscription = Subscribe("one");
        Send("1");
        var deleted = new List<string>();
        _entities.QueueClosed += queue => deleted.Add(queue.Name);
        _entities.Delete("ORDERS");

        Assert.Equal(["orders/Subscriptions/one", "orders"], deleted);
        Assert.True(subscription.IsDeleted);
        Assert.Equal(EntityFailure.NotFound, FailureOf(() => _entities.Delete("orders")));
        Assert.Null(_entities.FindSource("orders/subscriptions/one"));
    }

    [Fact]
    public void Queues_and_topics_share_one_set_of_names()
    {
        Assert.Equal(EntityFailure.AlreadyExists, FailureOf(() => _entities.Create(new QueueOptions("Orders"))));
        Subscribe("one");
        Assert.Equal(EntityFailure.AlreadyExists, FailureOf(() => Subscribe("ONE")));
        Assert.Equal(EntityFailure.InvalidOption, FailureOf(() => Subscribe("a/b")));
        Assert.Equal(EntityFailure.InvalidOption, FailureOf(() => Subscribe(new string('x', 51))));
        Subscribe(new string('x', 50));
    }

    [Fact]
    public void Number_of_subscriptions_and_rules_is_limited()
    {
        for (var i = 0; i < 2000; i++)
            Subscribe($"s{i}");
        Assert.Equal(EntityFailure.QuotaExceeded, FailureOf(() => Subscribe("more")));
        var rules = Enumerable.Range(0, 2000).Select(i => Sql($"r{i}", "1=1")).ToArray();
        _entities.Delete("orders/Subscriptions/s0");
        Subscribe("full", rules);
        Assert.Equal(
            EntityFailure.QuotaExceeded,
            FailureOf(() => Find("full").AddRule(Sql("more", "1=1"), _clock.GetUtcNow()))
        );
    }

    private static RuleDescription Sql(string name, string filter) =>
        new(name) { Filter = FilterKind.Sql, Expression = filter };

    private Queue Subscribe(string name, params RuleDescription[] rules)
    {
        var options = QueueOptions.OfSubscription("orders", name);
        return _entities.Create(rules.Length == 0 ? options : options with { Rules = rules });
    }

    private Subscription Find(string name) => _entities.Get($"orders/Subscriptions/{name}").Subscription!;

    private void Send(string id, params (string Name, object? Value)[] properties) =>
        _topic.Intake.Send(RuleMessages.Content(new MessageProperties { MessageId = id }, properties));

    private static Dictionary<string, object?> PropertiesOf(QueuedMessage message) =>
        AmqpMessage.Decode(message.Content.Body).ApplicationProperties ?? [];

    private static EntityFailure FailureOf(Action action) => Assert.Throws<EntityException>(action).Failure;

    private sealed class DefectiveReader : IRuleMessageReader
    {
        public IRuleMessage Read(QueuedMessage message) => throw new InvalidOperationException("Thrown by the test.");

        public MessageContent WithIds(MessageContent content) => content;
    }
}
