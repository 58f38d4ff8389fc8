using DroneDelivery.LocalServiceBus.Journal;

namespace DroneDelivery.LocalServiceBus.Tests.Journal;

/// <summary>
/// Performs random operations on a queue whose journal stops at a random record. The queue read back must equal the
/// queue at that moment.
/// </summary>
public sealed class ReplayTests : IDisposable
{
    private const int Operations = 150;

    private readonly string _folder = Directory.CreateTempSubdirectory("replay-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 40)];

    [Theory, MemberData(nameof(Seeds))]
    public async Task Journal_restores_the_queue_as_of_the_cut(int seed)
    {
        var random = new Random(seed);
        var (records, _) = await RunAsync(seed, cut: 0);
        var expected = await RunAsync(seed, cut: 1 + random.Next(records.Count));

        Assert.Equal(expected.AtCut, await ReadBackAsync());
    }

    [Fact]
    public async Task Random_operations_reach_every_transition()
    {
        var seen = new HashSet<Transition>();
        for (var seed = 1; seed <= 10; seed++)
            seen.UnionWith((await RunAsync(seed, cut: 0)).Records);

        Assert.Equal(Enum.GetValues<Transition>(), seen.Order());
    }

    private async Task<(List<Transition> Records, string AtCut)> RunAsync(int seed, int cut)
    {
        File.Delete(Path.Combine(_folder, JournalFile.Name));
        await using var journal = new BrokerJournal(JournalFile.Open(_folder), new Defects());
        var cutting = new CutJournal(journal, cut);
        using var use = RandomUse.Of(hasSessions: false, seed, cutting);
        cutting.Snapshot = () => Describe(use.Queue);
        cutting.AtCut = Describe(use.Queue);
        use.Run(Operations);
        return (cutting.Records, cutting.AtCut);
    }

    private async Task<string> ReadBackAsync()
    {
        await using var journal = new BrokerJournal(JournalFile.Open(_folder), new Defects());
        using var entities = new ServiceBusNamespace(new ManualTimeProvider()) { Journal = journal };
        journal.Restore(entities);
        return Describe(entities.Get("orders"));
    }

    /// <summary>
    /// Describes everything that survives a restart: a locked message becomes active or deferred again.
    /// </summary>
    private static string Describe(Queue queue) =>
        string.Join(
            '\n',
            new[] { queue, queue.DeadLetterQueue! }
                .Select(it => it.Snapshot())
                .SelectMany(look => look.Messages.Select(Describe).Prepend($"last {look.LastSequenceNumber}"))
        );

    private static string Describe(QueuedMessage message) =>
        string.Join(
            ' ',
            message.SequenceNumber,
            message.EnqueuedSequenceNumber,
            message.IsDeferred ? "deferred"
                : message.State == MessageState.Scheduled ? "scheduled"
                : "active",
            message.DeliveryCount,
            message.EnqueuedAt.Ticks,
            message.ExpiresAt.Ticks,
            QueueFixture.TextOf(message),
            message.Content.TimeToLive,
            message.Content.ScheduledEnqueueTime,
            message.Size,
            string.Join(
                ',',
                (message.ChangedProperties ?? new Dictionary<string, object?>()).OrderBy(
                    it => it.Key,
                    StringComparer.Ordinal
                )
            )
        );

    /// <summary>
    /// A journal that passes on the first records and stores the contents of the queue after them for comparison.
    /// </summary>
    private sealed class CutJournal(BrokerJournal journal, int cut) : IJournal
    {
        private Transition? _moving;

        public List<Transition> Records { get; } = [];
        public Func<string>? Snapshot { get; set; }
        public string AtCut { get; set; } = "";
        public string? WriteError => null;

        public void Restore(ServiceBusNamespace entities) => throw new NotSupportedException();

        public IQueueJournal Add(QueueOptions options) => new OfQueue(this, journal.Add(options));

        public bool TryMove(Action move) => journal.TryMove(move);

        public void EndMoves() => journal.EndMoves();

        public void WhenStored(Action call) => call();

        private void Record(IQueueJournal inner, Transition transition, QueuedMessage message)
        {
            Records.Add(transition);
            // A dead-lettered message is in neither queue until it arrives: one record, which the dead-letter queue
            // writes.
            var isBetween = transition == Transition.DeadLettered;
            if (Records.Count <= cut || _moving is not null)
            {
                inner.Record(transition, message);
                if (!isBetween)
                    AtCut = Snapshot!();
            }
            _moving = isBetween && Records.Count <= cut ? transition : null;
        }

        private sealed class OfQueue(CutJournal owner, IQueueJournal inner) : IQueueJournal
        {
            public IQueueJournal DeadLetters => new OfQueue(owner, inner.DeadLetters);
            public IQueueJournal TransferDeadLetters => new OfQueue(owner, inner.TransferDeadLetters);
            public string? WriteError => null;

            public void Record(Transition transition, QueuedMessage message) =>
                owner.Record(inner, transition, message);

            public void Remember(string messageId, DateTimeOffset seenAt) => inner.Remember(messageId, seenAt);

            public void KeepState(string sessionId, byte[]? state) => inner.KeepState(sessionId, state);

            public void Forget(DateTimeOffset seenUpTo) => inner.Forget(seenUpTo);

            public void Describe(QueueOptions options) => inner.Describe(options);

            public void Delete() => inner.Delete();

            public void WhenStored(Action call) => call();
        }
    }
}
