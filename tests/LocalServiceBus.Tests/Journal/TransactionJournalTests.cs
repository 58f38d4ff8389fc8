using DroneDelivery.LocalServiceBus.Journal;

namespace DroneDelivery.LocalServiceBus.Tests.Journal;

/// <summary>A data folder contains all of a transaction or nothing.</summary>
public sealed class TransactionJournalTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("transaction-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task File_truncated_during_a_commit_contains_nothing_of_it()
    {
        var (before, whole, after) = await CommitAsync();
        var found = new List<IReadOnlyList<string>>();
        // Cuts every few bytes: the file stores pages as frames of 4 KB with a header.
        for (var length = before.Log; length <= whole; length += 997)
            found.Add(await ReadBackAsync(length));
        found.Add(await ReadBackAsync(whole));

        Assert.All(found[..^1], messages => Assert.Equal(before.Messages, messages));
        Assert.Equal(after, found[^1]);
        Assert.True(found.Count > 10, $"The file was cut at {found.Count} places.");
    }

    /// <returns>
    /// The length of the log and the messages, before and after a transaction. The file remains as of then.
    /// </returns>
    private async Task<(
        (long Log, IReadOnlyList<string> Messages) Before,
        long Whole,
        IReadOnlyList<string> After
    )> CommitAsync()
    {
        await using var journal = new BrokerJournal(JournalFile.Open(_folder), new Defects());
        using var fixture = new TransactionFixture(journal: journal);
        var locks = fixture.Lock("a", "b", "c");
        await fixture.Entities.StoredAsync();
        var before = (new FileInfo(Log).Length, Messages(fixture.Orders, fixture.Invoices));
        var id = fixture.Declare();
        fixture.Settle(id, locks[0], Settlement.Complete);
        fixture.Settle(id, locks[1], new Settlement.DeadLettered("bad"));
        fixture.Send(id, fixture.Orders, new string('d', 6000));
        fixture.Send(id, fixture.Invoices, new string('e', 6000));
        fixture.Commit(id);
        await fixture.Entities.StoredAsync();
        foreach (var name in new[] { Main, Log })
            File.Copy(name, $"{name}.kept");
        return (before, new FileInfo(Log).Length, Messages(fixture.Orders, fixture.Invoices));
    }

    private async Task<IReadOnlyList<string>> ReadBackAsync(long length)
    {
        var folder = Path.Combine(_folder, $"{length}");
        Directory.CreateDirectory(folder);
        File.Copy($"{Main}.kept", Path.Combine(folder, JournalFile.Name), overwrite: true);
        var log = await File.ReadAllBytesAsync($"{Log}.kept", TestContext.Current.CancellationToken);
        var cut = Path.Combine(folder, $"{JournalFile.Name}-wal");
        await File.WriteAllBytesAsync(cut, log[..(int)length], TestContext.Current.CancellationToken);
        await using var journal = new BrokerJournal(JournalFile.Open(folder), new Defects());
        using var entities = new ServiceBusNamespace(TimeProvider.System) { Journal = journal };
        journal.Restore(entities);
        return Messages(entities.Get("orders"), entities.Get("invoices"));
    }

    private string Main => Path.Combine(_folder, JournalFile.Name);

    private string Log => $"{Main}-wal";

    /// <summary>The messages while no receiver holds any.</summary>
    private static IReadOnlyList<string> Messages(params Queue[] queues) =>
        [
            .. queues
                .SelectMany(queue => new[] { queue, queue.DeadLetterQueue! })
                .SelectMany(queue =>
                    queue
                        .Snapshot()
                        .Messages.Select(message =>
                            $"{queue.Name} {message.SequenceNumber} {QueueFixture.TextOf(message)}"
                        )
                ),
        ];
}
