using DroneDelivery.LocalServiceBus.Transactions;

namespace DroneDelivery.LocalServiceBus.Tests.Transactions;

/// <summary>Random operations in and out of transactions, and after each of them a look: everything is where a model has it.</summary>
public sealed class TransactionModelTests
{
    private const int Sequences = 150, Operations = 60, MaxDeliveryCount = 3;

    [Fact]
    public void Queues_hold_what_the_model_says()
    {
        var ends = new HashSet<string>();
        for (var seed = 1; seed <= Sequences; seed++)
        {
            using var sequence = new Sequence(seed);
            sequence.Play();
            ends.UnionWith(sequence.Ends);
        }
        Assert.Equal(["committed", "refused", "rolled back", "timed out"], ends.Order());
    }

    private sealed class Sequence : IDisposable
    {
        private readonly TransactionFixture _fixture = new(options => options with { MaxDeliveryCount = MaxDeliveryCount });
        private readonly QueueModel _orders = new(hasSessions: false, TransactionFixture.LockDuration, MaxDeliveryCount);
        private readonly List<(MessageLock Lock, QueueModel.Entry Entry)> _locks = [];
        private readonly List<Open> _open = [];
        private readonly Random _random;
        private readonly int _seed;
        private int _invoices;

        public Sequence(int seed)
        {
            (_seed, _random) = (seed, new Random(seed));
            _orders.Now = _fixture.Clock.GetUtcNow();
        }

        public HashSet<string> Ends { get; } = [];

        public void Play()
        {
            for (var i = 0; i < Operations; i++)
            {
                var done = Next();
                Compare($"seed {_seed}, operation {i}: {done}");
            }
        }

        public void Dispose() => _fixture.Dispose();

        private string Next() => _random.Next(12) switch
        {
            0 or 1 => Send(),
            2 or 3 => Receive(),
            4 => Settle(),
            5 => Declare(),
            6 or 7 => JoinSend(),
            8 or 9 => JoinSettlement(),
            10 => Advance(),
            _ => Discharge(),
        };

        private string Send()
        {
            _fixture.Orders.Enqueue([QueueFixture.Content("plain")], new long[1]);
            _orders.Send("", null, null);
            return "send";
        }

        private string Receive()
        {
            var count = _random.Next(1, 4);
            var receiver = new TestReceiver(_fixture.Orders, count);
            receiver.Close();
            foreach (var (held, entry) in receiver.Locks.Zip(_orders.Receive("", count)))
            {
                entry.Held = held;
                _locks.Add((held, entry));
            }
            return $"receive {count}";
        }

        private string Settle()
        {
            if (AnyLock() is not var (held, entry))
                return "nothing to settle";
            var settlement = AnySettlement();
            var expected = IsHeld(held, entry);
            Assert.Equal(expected, _fixture.Orders.Settle(held, settlement) == QueueResult.Done);
            if (expected)
                _orders.Settle(entry, settlement);
            return $"settle {entry.Number} {settlement}";
        }

        private string Declare()
        {
            if (_fixture.Table.Declare(this) is { } id)
                _open.Add(new Open(id));
            return "declare";
        }

        private string JoinSend()
        {
            if (AnyOpen() is not { } transaction)
                return "nothing to join";
            var toInvoices = _random.Next(2) == 0;
            var count = _random.Next(1, 3);
            var texts = Enumerable.Range(0, count).Select(i => $"{i}").ToArray();
            Assert.Null(_fixture.Send(transaction.Id, toInvoices ? _fixture.Invoices : _fixture.Orders, texts));
            transaction.Join(_orders.Now, () => true, () => Add(toInvoices, count));
            return $"send {count} in a transaction";
        }

        private void Add(bool toInvoices, int count)
        {
            if (toInvoices)
                _invoices += count;
            for (var i = 0; i < count && !toInvoices; i++)
                _orders.Send("", null, null);
        }

        private string JoinSettlement()
        {
            if (AnyOpen() is not { } transaction || AnyLock() is not var (held, entry))
                return "nothing to join";
            var settlement = AnySettlement();
            var expected = IsHeld(held, entry) && !transaction.Claims.Contains(held);
            Assert.Equal(expected, _fixture.Settle(transaction.Id, held, settlement) is null);
            if (expected)
            {
                transaction.Claims.Add(held);
                transaction.Join(_orders.Now, () => IsHeld(held, entry), () => _orders.Settle(entry, settlement));
            }
            return $"settle {entry.Number} {settlement} in a transaction";
        }

        private string Advance()
        {
            var by = TimeSpan.FromSeconds(_random.Next(1, 50));
            _fixture.Clock.Advance(by);
            _orders.AdvanceTo(_orders.Now + by);
            if (_open.RemoveAll(it => it.EndsAt <= _orders.Now) > 0)
                Ends.Add("timed out");
            return $"advance {by}";
        }

        private string Discharge()
        {
            if (AnyOpen() is not { } transaction)
                return "nothing to discharge";
            _open.Remove(transaction);
            if (_random.Next(4) == 0)
            {
                Assert.Null(_fixture.RollBack(transaction.Id));
                Ends.Add("rolled back");
                return "roll back";
            }
            var expected = transaction.Checks.TrueForAll(check => check());
            Assert.Equal(expected, _fixture.Commit(transaction.Id) is null);
            foreach (var apply in expected ? transaction.Steps : [])
                apply();
            Ends.Add(expected ? "committed" : "refused");
            return "commit";
        }

        private void Compare(string after)
        {
            var expected = _orders.Messages.OrderBy(it => it.Number).Select(it => $"{it.Number} {it.State} {it.Deliveries}");
            var found = _fixture.Orders.Look().Messages.Select(it => $"{it.SequenceNumber} {it.State} {it.DeliveryCount}");
            Assert.True(expected.SequenceEqual(found), $"{after}\n{string.Join(", ", expected)}\n{string.Join(", ", found)}");
            Assert.True(_orders.Dead == _fixture.Orders.Counts().DeadLetter, after);
            Assert.True(_invoices == _fixture.Invoices.Counts().Active, after);
            Assert.True(_open.Count == _fixture.Table.Count, after);
        }

        private bool IsHeld(MessageLock held, QueueModel.Entry entry) =>
            _orders.Messages.Contains(entry) && entry.State == MessageState.Locked && entry.Held == held && _orders.Now < entry.LockedUntil;

        private Open? AnyOpen() => _open.Count == 0 ? null : _open[_random.Next(_open.Count)];

        private (MessageLock Lock, QueueModel.Entry Entry)? AnyLock() => _locks.Count == 0 ? null : _locks[_random.Next(_locks.Count)];

        private Settlement AnySettlement() => _random.Next(6) switch
        {
            0 => Settlement.Release,
            1 => new Settlement.Abandoned(),
            2 => new Settlement.Deferred(),
            3 => new Settlement.DeadLettered("why"),
            _ => Settlement.Complete,
        };
    }

    private sealed class Open(Guid id)
    {
        public Guid Id => id;
        public List<Func<bool>> Checks { get; } = [];
        public List<Action> Steps { get; } = [];
        public HashSet<MessageLock> Claims { get; } = [];
        public DateTimeOffset EndsAt { get; private set; } = DateTimeOffset.MaxValue;

        public void Join(DateTimeOffset now, Func<bool> check, Action step)
        {
            if (Steps.Count == 0)
                EndsAt = now + TransactionTable.Patience;
            Checks.Add(check);
            Steps.Add(step);
        }
    }
}
