namespace DroneDelivery.LocalServiceBus.Tests.Transactions;

/// <summary>Compares queues with a model after each of many random operations in and out of transactions.</summary>
public sealed class TransactionModelTests
{
    private const int Sequences = 150,
        Operations = 60;

    [Fact]
    public void Queues_match_the_model_after_random_transactions()
    {
        var ends = new HashSet<string>();
        for (var seed = 1; seed <= Sequences; seed++)
        {
            using var sequence = Sequence.Of(seed);
            sequence.Run(Operations);
            ends.UnionWith(sequence.Ends);
        }
        Assert.Equal(["committed", "refused", "rolled back", "timed out"], ends.Order());
    }

    private sealed class Sequence(TransactionFixture fixture, QueueModel orders, int seed)
        : RandomUse(hasSessions: false, seed, fixture.Entities, fixture.Clock, fixture.Orders, orders)
    {
        private readonly List<Open> _open = [];
        private int _invoices;

        public HashSet<string> Ends { get; } = [];

        public static Sequence Of(int seed) =>
            new(
                new(options => options with { MaxDeliveryCount = MaxDeliveryCount }),
                new(hasSessions: false, TransactionFixture.LockDuration, MaxDeliveryCount),
                seed
            );

        public override void Dispose()
        {
            fixture.Transactions.Dispose();
            base.Dispose();
        }

        protected override string Next() =>
            Random.Next(14) switch
            {
                0 => Declare(),
                1 or 2 => JoinSend(),
                3 or 4 => JoinSettlement(),
                5 => Discharge(),
                6 => Advance(TimeSpan.FromSeconds(Random.Next(1, 50))),
                _ => base.Next(),
            };

        private string Declare()
        {
            if (fixture.Transactions.Declare(this) is Declared declared)
                _open.Add(new Open(declared.TxnId));
            return "declare";
        }

        private string JoinSend()
        {
            if (AnyOpen() is not { } transaction)
                return "nothing to join";
            var toInvoices = Random.Next(2) == 0;
            var count = Random.Next(1, 3);
            var texts = Enumerable.Range(0, count).Select(i => $"{i}").ToArray();
            Assert.Null(fixture.Send(transaction.Id, toInvoices ? fixture.Invoices : fixture.Orders, texts));
            transaction.Join(Model.Now, () => true, () => Add(toInvoices, count));
            return $"send {count} in a transaction";
        }

        private void Add(bool toInvoices, int count)
        {
            if (toInvoices)
                _invoices += count;
            for (var i = 0; i < count && !toInvoices; i++)
                Model.Send("", null, null);
        }

        private string JoinSettlement()
        {
            if (AnyOpen() is not { } transaction || AnyLock() is not var (held, entry))
                return "nothing to join";
            var settlement = AnySettlement();
            var expected = IsHeld(held, entry) && !transaction.Claims.Contains(held);
            Assert.Equal(expected, fixture.Settle(transaction.Id, held, settlement) is null);
            if (expected)
            {
                transaction.Claims.Add(held);
                transaction.Join(Model.Now, () => IsHeld(held, entry), () => Model.Settle(entry, settlement));
            }
            return $"settle {entry.Number} {settlement} in a transaction";
        }

        private string Discharge()
        {
            if (AnyOpen() is not { } transaction)
                return "nothing to discharge";
            _open.Remove(transaction);
            if (Random.Next(4) == 0)
            {
                Assert.Null(fixture.RollBack(transaction.Id));
                Ends.Add("rolled back");
                return "roll back";
            }
            var expected = transaction.Checks.TrueForAll(check => check());
            Assert.Equal(expected, fixture.Commit(transaction.Id) is null);
            foreach (var apply in expected ? transaction.Steps : [])
                apply();
            Ends.Add(expected ? "committed" : "refused");
            return "commit";
        }

        protected override void Compare(string after)
        {
            if (_open.RemoveAll(it => it.EndsAt <= Model.Now) > 0)
                Ends.Add("timed out");
            base.Compare(after);
            Assert.True(_invoices == fixture.Invoices.Counts().Active, after);
            Assert.True(_open.Count == fixture.Transactions.Count, after);
        }

        private Open? AnyOpen() => _open.Count == 0 ? null : _open[Random.Next(_open.Count)];
    }

    private sealed class Open(byte[] id)
    {
        public byte[] Id => id;
        public List<Func<bool>> Checks { get; } = [];
        public List<Action> Steps { get; } = [];
        public HashSet<MessageLock> Claims { get; } = [];
        public DateTimeOffset EndsAt { get; private set; } = DateTimeOffset.MaxValue;

        public void Join(DateTimeOffset now, Func<bool> check, Action step)
        {
            if (Steps.Count == 0)
                EndsAt = now + ClientTransactions.Timeout;
            Checks.Add(check);
            Steps.Add(step);
        }
    }
}
