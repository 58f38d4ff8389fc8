using DroneDelivery.LocalServiceBus.Journal;

namespace DroneDelivery.LocalServiceBus.Tests.Journal;

public sealed class FullDiskTests : IAsyncLifetime
{
    private readonly string _folder = Directory.CreateTempSubdirectory("full-").FullName;
    private readonly Defects _defects = new();
    private JournalFile _file = null!;
    private BrokerJournal _journal = null!;
    private ServiceBusNamespace _entities = null!;
    private Queue _queue = null!;

    public async ValueTask InitializeAsync()
    {
        _file = JournalFile.Open(_folder);
        _journal = new BrokerJournal(_file, _defects);
        _entities = new ServiceBusNamespace(TimeProvider.System) { Journal = _journal };
        _queue = _entities.Create(new QueueOptions("orders"));
        await _entities.StoredAsync();
        _file.LimitPages(20);
    }

    public async ValueTask DisposeAsync()
    {
        _entities.Dispose();
        await _journal.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Full_disk_rejects_sends_and_delays_settlements()
    {
        await SendUntilFullAsync();
        var send = new SendRequest(_queue, [new MessageContent(new byte[3000])]);
        var answered = new List<QueueRequest>();
        _queue.Do(new RequestBatch((_, requests) => answered.AddRange(requests)) { Requests = { send } });

        Assert.Equal(QueueResult.NotStored, send.Result);
        Assert.Equal([send], answered);
        Assert.Equal("the disk is full", _queue.JournalError);
        Assert.Throws<EntityException>(() => _entities.Create(new QueueOptions("another")));
        Assert.Equal(QueueResult.Done, _queue.Settle(new TestReceiver(_queue, 1).Locks[0], Settlement.Complete));
        var kept = _entities.StoredAsync();
        Assert.False(kept.IsCompleted);

        _file.LimitPages(100_000);
        await kept.WaitAsync(TimeSpan.FromSeconds(60), Cancel);

        Assert.Equal(QueueResult.Done, Send());
        Assert.Equal(1, _defects.Count);
        await _entities.StoredAsync();
        Assert.Equal(_queue.Counts().Active + _queue.Counts().Locked, _file.Messages()[1].Count());
    }

    [Fact]
    public async Task Completed_messages_free_space_on_a_full_disk()
    {
        await SendUntilFullAsync();

        foreach (var held in new TestReceiver(_queue, 1000).Locks)
            Assert.Equal(QueueResult.Done, _queue.Settle(held, Settlement.Complete));
        await _entities.StoredAsync().WaitAsync(TimeSpan.FromSeconds(60), Cancel);

        Assert.Null(_queue.JournalError);
        Assert.Empty(_file.Messages());
    }

    [Fact]
    public async Task Unwritable_message_is_rejected_and_the_journal_continues()
    {
        var message = new QueuedMessage(QueueFixture.Content("a"), DateTimeOffset.UnixEpoch);
        message.ChangeProperties(new Dictionary<string, object?> { ["x"] = new object() });

        Assert.ThrowsAny<Exception>(() => _journal.Put(message, queue: 1, Place.Queue));
        message.ChangeProperties(new Dictionary<string, object?> { ["x"] = "y" });
        _journal.Put(message, queue: 1, Place.Queue);

        Assert.Equal(QueueResult.Done, Send());
        await _entities.StoredAsync().WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        Assert.Equal((0, null), (_defects.Count, _journal.WriteError));
        Assert.Equal(2, _file.Messages()[1].Count());
    }

    [Fact]
    public async Task Acknowledged_messages_survive_a_stop_on_a_full_disk()
    {
        var acknowledged = await SendUntilFullAsync();
        await _journal.DisposeAsync();

        using var file = JournalFile.Open(_folder);
        var found = file.Messages()[1].Select(row => row.Message.SequenceNumber);
        Assert.Equal(Enumerable.Range(1, acknowledged).Select(number => (long)number), found);
    }

    /// <returns>The number of acknowledged sends.</returns>
    private async Task<int> SendUntilFullAsync()
    {
        for (var acknowledged = 0; ; acknowledged++)
        {
            Assert.Equal(QueueResult.Done, Send());
            var kept = _entities.StoredAsync();
            await Eventually.TrueAsync(() => kept.IsCompleted || _queue.JournalError is not null);
            if (!kept.IsCompleted)
                return acknowledged;
        }
    }

    private QueueResult Send() => _queue.Enqueue([new MessageContent(new byte[3000])], new long[1]);
}
