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
    public void Each_subscription_gets_each_message_with_a_number_of_its_own()
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
    public void Each_rule_with_an_action_makes_a_copy_and_the_others_make_one_together()
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
    public void A_message_that_all_filters_fail_for_is_a_dead_letter_where_that_is_wanted(bool wanted, int expected)
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
    public void A_message_that_cannot_be_read_reaches_who_does_not_read_it_once_and_is_a_dead_letter_of_the_others()
    {
        Queue[] all = [Subscribe("all-1"), Subscribe("all-2"), Subscribe("all-3")];
        var red = Subscribe("red", Sql("red", "color = 'red'"));
        var content = RuleMessages.Content(new MessageProperties { MessageId = "1" }, ("x", "~"));
        var bytes = content.Body.ToArray();
        bytes[Array.IndexOf(bytes, (byte)'~')] = 0xFF; // no UTF-8
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
    public void An_action_that_makes_what_cannot_be_kept_fails(string what, string action)
    {
        _entities.Update(_topic.Intake.Options with { MaxMessageSize = 2048 });
        var subscription = Subscribe("one", new RuleDescription("make") { Action = action });
        Send("1", ("129", new string('x', 129)));

        Assert.True(subscription.Counts() is { Active: 0, DeadLetter: 1 }, what);
    }

    [Fact]
    public void What_a_message_brings_does_not_count_for_what_an_action_may_change()
    {
        var subscription = Subscribe("one", new RuleDescription("r") { Action = "SET a = 1" });
        Send("1", ("large", new string('x', 60_000)));

        Assert.Equal(1, subscription.Counts().Active);
    }

    [Fact]
    public void A_rule_that_fails_by_a_defect_fails_for_its_own_subscription()
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
    public void A_message_without_a_session_is_a_dead_letter_of_a_subscription_with_sessions_unless_an_action_gives_it_one()
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
    public void A_message_lives_as_long_as_itself_the_topic_and_the_subscription_allow()
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
    public void What_subscriptions_hold_counts_for_the_limit_of_their_topic()
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
    public void A_description_leaves_rules_alone_and_those_that_are_replaced_keep_the_time_of_those_that_were_there()
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
    public void A_topic_goes_with_its_subscriptions()
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
    public void Queues_and_topics_share_their_names()
    {
        Assert.Equal(EntityFailure.AlreadyExists, FailureOf(() => _entities.Create(new QueueOptions("Orders"))));
        Subscribe("one");
        Assert.Equal(EntityFailure.AlreadyExists, FailureOf(() => Subscribe("ONE")));
        Assert.Equal(EntityFailure.InvalidOption, FailureOf(() => Subscribe("a/b")));
        Assert.Equal(EntityFailure.InvalidOption, FailureOf(() => Subscribe(new string('x', 51))));
        Subscribe(new string('x', 50));
    }

    [Fact]
    public void There_are_bounds_to_subscriptions_and_rules()
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
        public IRuleMessage Read(QueuedMessage message) => throw new InvalidOperationException("A defect.");

        public MessageContent WithIds(MessageContent content) => content;
    }
}
