using System.Globalization;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>Random operations on a queue, on sessions, on a topic and on entities that forward: everything is where a model has it.
/// MODEL_SEQUENCES=20000 for a long run.</summary>
public sealed class ModelTests
{
    private const int Operations = 60, MaxDeliveryCount = 3;

    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);
    private static readonly string[] Sessions = ["a", "b", "c"];

    private static int Sequences =>
        int.Parse(Environment.GetEnvironmentVariable("MODEL_SEQUENCES") ?? "300", CultureInfo.InvariantCulture);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_queue_holds_what_the_model_says(bool hasSessions)
    {
        for (var seed = 1; seed <= Sequences; seed++)
        {
            using var sequence = new Sequence(hasSessions, seed);
            sequence.Play();
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
            entities.FindTarget(to)!.Enqueue([QueueFixture.Content($"{i}")], new long[1]);
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
                Publish($"m{i}", random.Next(10), random.Next(3) == 0 ? null : Sessions[random.Next(3)]);
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
            var (least, color) = (random.Next(10), Sessions[random.Next(3)]);
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
            topic.Intake.Enqueue([RuleMessages.Content(new MessageProperties { MessageId = id }, properties)], new long[1]);
            foreach (var (name, wants) in wanted.Where(it => it.Value(size, color)))
                expected[name].Add(id);
        }
    }

    private sealed class Sequence : IDisposable
    {
        private readonly ManualTimeProvider _clock = new();
        private readonly Random _random;
        private readonly int _seed;
        private readonly bool _hasSessions;
        private readonly Queue _queue;
        private readonly ServiceBusNamespace _entities;
        private readonly QueueModel _model;
        private readonly Dictionary<string, TestSession> _holders = [];
        private readonly List<(MessageLock Lock, QueueModel.Entry Entry)> _locks = [];

        public Sequence(bool hasSessions, int seed)
        {
            (_hasSessions, _seed, _random) = (hasSessions, seed, new Random(seed));
            _entities = new ServiceBusNamespace(_clock);
            _queue = _entities.Create(new QueueOptions("orders")
            {
                RequiresSession = hasSessions,
                LockDuration = LockDuration,
                MaxDeliveryCount = MaxDeliveryCount,
            });
            _model = new QueueModel(hasSessions, LockDuration, MaxDeliveryCount) { Now = _clock.GetUtcNow() };
        }

        public void Play()
        {
            for (var i = 0; i < Operations; i++)
            {
                var done = Next();
                Compare($"seed {_seed}, operation {i}: {done}");
            }
        }

        public void Dispose() => _entities.Dispose();

        private string Next()
        {
            switch (_random.Next(12))
            {
                case <= 2:
                    return Send();
                case 3 when _hasSessions:
                    return Accept(Sessions[_random.Next(3)]);
                case 4 when _hasSessions:
                    return AcceptNext();
                case 5 when _hasSessions && _holders.Count > 0:
                    return GiveBackOrRenew();
                case <= 7:
                    return Receive();
                case <= 9:
                    return Settle();
                case 10:
                    return ReceiveDeferred();
                default:
                    var by = Some(LockDuration);
                    _model.AdvanceTo(_clock.GetUtcNow() + by);
                    _clock.Advance(by);
                    return $"{by} pass";
            }
        }

        private string Send()
        {
            var session = _hasSessions ? Sessions[_random.Next(3)] : "";
            TimeSpan? lives = _random.Next(3) == 0 ? Some(3 * LockDuration) : null;
            var later = Some(LockDuration);
            DateTimeOffset? due = _random.Next(4) == 0 ? _clock.GetUtcNow() + later : null;
            var content = QueueFixture.Content("x", session) with { TimeToLive = lives, ScheduledEnqueueTime = due };
            Assert.Equal(QueueResult.Done, _queue.Enqueue([content], new long[1]));
            _model.Send(session, lives, due);
            return $"send to '{session}'";
        }

        private string Accept(string session)
        {
            var given = TestSession.Ask(_queue, session);
            Assert.Equal(_model.IsHeld(session) ? QueueResult.SessionHeld : null, given.Refusal);
            return Take(given);
        }

        private string AcceptNext()
        {
            var free = _model.Free.ToList();
            var given = TestSession.Ask(_queue, null);
            Assert.Equal(free.Count > 0, given.Hold is not null);
            if (given.Hold is null)
                _queue.Forget(given);
            else
                Assert.Contains(given.Id!, free);
            return Take(given);
        }

        private string Take(TestSession given)
        {
            if (given.Hold is null)
                return "no session";
            _holders[given.Id!] = given;
            _model.Accept(given.Id!);
            return $"accept '{given.Id}'";
        }

        private string GiveBackOrRenew()
        {
            var (session, holder) = _holders.ElementAt(_random.Next(_holders.Count));
            if (_random.Next(2) == 0)
            {
                Assert.Equal(_model.IsHeld(session), _queue.RenewSession(session) is not null);
                if (_model.IsHeld(session))
                    _model.Accept(session);
                return $"renew '{session}'";
            }
            holder.GiveBack();
            if (_model.IsHeld(session))
                _model.GiveBack(session);
            _holders.Remove(session);
            return $"give '{session}' back";
        }

        private string Receive()
        {
            var count = _random.Next(1, 4);
            TestReceiver receiver;
            var session = "";
            if (!_hasSessions)
            {
                receiver = new TestReceiver(_queue, count);
            }
            else if (_holders.Count == 0)
            {
                return "nothing";
            }
            else
            {
                (session, var holder) = _holders.ElementAt(_random.Next(_holders.Count));
                receiver = holder.Receive(count);
            }
            receiver.Close();
            var expected = _hasSessions && !_model.IsHeld(session) ? [] : _model.Receive(session, count);
            Assert.Equal(expected.Select(it => it.Number), receiver.Locks.Select(it => it.SequenceNumber));
            foreach (var (held, entry) in receiver.Locks.Zip(expected))
                Keep(held, entry);
            return $"receive {receiver.Locks.Count} of '{session}'";
        }

        private string Settle()
        {
            if (_locks.Count == 0)
                return "nothing";
            var (held, entry) = _locks[_random.Next(_locks.Count)];
            _locks.Remove((held, entry));
            Settlement settlement = _random.Next(6) switch
            {
                0 => Settlement.Release,
                1 => new Settlement.Abandoned(),
                2 => new Settlement.Deferred(),
                3 => new Settlement.DeadLettered("why"),
                _ => Settlement.Complete,
            };
            // A token is good as long as the lock that came with it: not for the next lock on the same message.
            var isGood = entry.Held == held && _model.Messages.Contains(entry) && entry.State == MessageState.Locked;
            var result = _queue.Settle(held, settlement);
            Assert.True(isGood == (result == QueueResult.Done), $"Seed {_seed}: {settlement} of {entry} was {result}");
            if (isGood)
                _model.Settle(entry, settlement);
            return $"settle {entry.Number}: {settlement} {result}";
        }

        private string ReceiveDeferred()
        {
            var deferred = _model.Messages.Where(it => it.State == MessageState.Deferred).ToList();
            if (deferred.Count == 0)
                return "nothing";
            var entry = deferred[_random.Next(deferred.Count)];
            if (_hasSessions && !_model.IsHeld(entry.Session))
                return "nothing";
            var received = _queue.ReceiveDeferred([entry.Number], ReceiveMode.PeekLock, sessionId: _hasSessions ? entry.Session : null);
            if (entry.Expires <= _clock.GetUtcNow())
            {
                Assert.Null(received);
                _model.Messages.Remove(entry);
                return $"deferred {entry.Number} is over";
            }
            var (copy, held) = Assert.Single(received!);
            Assert.Equal(entry.Number, copy.SequenceNumber);
            _model.Lock(entry);
            Keep(held!, entry);
            return $"receive deferred {entry.Number}";
        }

        private void Keep(MessageLock held, QueueModel.Entry entry)
        {
            entry.Held = held;
            _locks.Add((held, entry));
        }

        // In whole milliseconds, as timers count: in between, what comes by itself may be late by less than one.
        private TimeSpan Some(TimeSpan most) => TimeSpan.FromMilliseconds(1 + _random.Next((int)most.TotalMilliseconds - 1));

        private void Compare(string after)
        {
            var expected = _model.Messages.OrderBy(it => it.Number).Select(it => it.ToString());
            var found = _queue.Look().Messages.Select(
                it => $"{it.SequenceNumber} {it.Content.SessionId} {it.State} {it.DeliveryCount}");
            Assert.True(
                expected.SequenceEqual(found),
                $"After {after}\nexpected {string.Join(", ", expected)}\nfound    {string.Join(", ", found)}");
            Assert.True(_model.Dead == _queue.Counts().DeadLetter, $"After {after}: dead letters");
            if (_hasSessions)
                Assert.Equal(_model.Held.Order(), Sessions.Where(session => _queue.IsSessionHeld(session)));
        }
    }
}
