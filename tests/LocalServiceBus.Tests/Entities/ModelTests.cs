using System.Globalization;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>Random operations on a queue, on sessions, on a topic and on entities that forward: everything is where a model has it.
/// MODEL_SEQUENCES=20000 for a long run.</summary>
public sealed class ModelTests
{
    private const int Operations = 60;

    private static int Sequences =>
        int.Parse(Environment.GetEnvironmentVariable("MODEL_SEQUENCES") ?? "300", CultureInfo.InvariantCulture);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_queue_holds_what_the_model_says(bool hasSessions)
    {
        for (var seed = 1; seed <= Sequences; seed++)
        {
            using var sequence = RandomUse.Of(hasSessions, seed);
            sequence.Play(Operations);
        }
    }

    [Fact]
    public void A_subscription_gets_what_its_rules_let_through()
    {
        for (var seed = 1; seed <= Sequences; seed++)
            PlayTopic(new Random(seed), seed);
    }

    [Fact]
    public void Messages_end_where_forwarding_leads_them()
    {
        for (var seed = 1; seed <= Sequences; seed++)
            PlayForwarding(new Random(seed), seed);
    }

    private static void PlayForwarding(Random random, int seed)
    {
        using var entities = new ServiceBusNamespace(new ManualTimeProvider());
        string[] targets = ["a", "b", "c", "d", "t"], behindTopic = ["t/Subscriptions/x", "t/Subscriptions/y"];
        string[] sources = [.. targets[..4], .. behindTopic];
        foreach (var queue in targets[..4])
            entities.Create(new QueueOptions(queue));
        entities.Create(new QueueOptions("t") { Kind = EntityKind.Topic });
        foreach (var subscription in behindTopic)
            entities.Create(QueueOptions.OfSubscription("t", subscription[^1..]));
        // Every third keeps its messages, and the others lead anywhere, also in circles.
        var next = sources.ToDictionary(it => it, Next);
        foreach (var source in sources)
            entities.Update(entities.FindSource(source)!.Options with { ForwardTo = next[source] });

        var expected = sources.ToDictionary(it => it, _ => (Here: new List<string>(), TooFar: new List<string>()));
        for (var i = 0; i < 10; i++)
        {
            var to = targets[random.Next(targets.Length)];
            entities.FindTarget(to)!.Send($"{i}");
            Follow(to, $"{i}", hops: 0);
        }
        foreach (var (source, (here, tooFar)) in expected)
        {
            var queue = entities.FindSource(source)!;
            Assert.True(here.Order().SequenceEqual(Held(queue)), $"Seed {seed}, {source}");
            Assert.True(tooFar.Order().SequenceEqual(Held(queue.TransferDeadLetterQueue!)), $"Seed {seed}, {source}: too far");
        }

        string? Next(string source) =>
            random.Next(3) == 0 ? null : targets.Where(target => target != source[..1]).ElementAt(random.Next(4));

        void Follow(string target, string id, int hops)
        {
            foreach (var source in target == "t" ? behindTopic : [target])
            {
                if (next[source] is not { } to)
                    expected[source].Here.Add(id);
                else if (hops == 4)
                    expected[source].TooFar.Add(id);
                else
                    Follow(to, id, hops + 1);
            }
        }

        static IEnumerable<string> Held(Queue queue) => queue.Peek(0, 1000).Select(QueueFixture.TextOf).Order();
    }

    private static void PlayTopic(Random random, int seed)
    {
        using var entities = new ServiceBusNamespace(new ManualTimeProvider()) { Reader = new RuleMessageReader() };
        var topic = entities.Create(new QueueOptions("topic") { Kind = EntityKind.Topic }).Topic!;
        var expected = new Dictionary<string, List<string>>();
        var wanted = new Dictionary<string, Func<int, string?, bool>>();
        for (var i = 0; i < 30; i++)
        {
            var name = $"s{random.Next(4)}";
            if (entities.Find($"topic/Subscriptions/{name}") is not null)
                Publish($"m{i}", random.Next(10), random.Next(3) == 0 ? null : RandomUse.Sessions[random.Next(3)]);
            else
                Subscribe(name);
        }
        foreach (var (name, ids) in expected)
        {
            var found = entities.Get($"topic/Subscriptions/{name}").Peek(0, 100).Select(it => it.Content.MessageId!);
            Assert.True(ids.SequenceEqual(found), $"Seed {seed}, subscription {name}");
        }

        void Subscribe(string name)
        {
            var (least, color) = (random.Next(10), RandomUse.Sessions[random.Next(3)]);
            (string Filter, Func<int, string?, bool> Wants)[] filters =
            [
                ($"size >= {least}", (size, _) => size >= least),
                ($"color = '{color}'", (_, of) => of == color),
                ($"size % 2 = 0 AND NOT color = '{color}'", (size, of) => size % 2 == 0 && of is not null && of != color),
                ($"color IS NULL OR size IN ({least}, {least + 1})", (size, of) => of is null || size == least || size == least + 1),
            ];
            var chosen = filters.Where(_ => random.Next(3) == 0).ToList();
            entities.Create(QueueOptions.OfSubscription("topic", name) with
            {
                Rules = [.. chosen.Select((it, i) => new RuleDescription($"r{i}") { Filter = FilterKind.Sql, Expression = it.Filter })],
            });
            wanted[name] = (size, of) => chosen.Any(it => it.Wants(size, of));
            expected[name] = [];
        }

        void Publish(string id, int size, string? color)
        {
            (string, object?)[] properties = color is null ? [("size", size)] : [("size", size), ("color", color)];
            topic.Intake.Send(RuleMessages.Content(new MessageProperties { MessageId = id }, properties));
            foreach (var (name, wants) in wanted.Where(it => it.Value(size, color)))
                expected[name].Add(id);
        }
    }
}
