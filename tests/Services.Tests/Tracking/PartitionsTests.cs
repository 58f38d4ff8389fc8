using DroneDelivery.Testing;
using DroneDelivery.Tracking;
using DroneDelivery.Tracking.Writing;

namespace DroneDelivery.Services.Tests.Tracking;

/// <summary>Which hits are stored together, and when.</summary>
public sealed class PartitionsTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private readonly ManualTimeProvider _time = new(DateTimeOffset.UnixEpoch);
    private readonly Partitions _partitions;

    public PartitionsTests() => _partitions = new(batchSize: 3, Patience, _time);

    [Fact]
    public async Task A_full_batch_goes_at_once_and_the_rest_waits()
    {
        Add("a", 2);
        Add("b", 4);

        Assert.Equal("bbb", await TakeAsync());
        var next = TakeAsync();
        Assert.False(next.IsCompleted);
        Add("a", 1);
        Assert.Equal("aaa", await next);
    }

    [Fact]
    public async Task Whoever_is_alone_goes_when_it_has_waited()
    {
        Add("a", 1);
        _time.Advance(Patience / 2);
        Add("b", 1);
        var next = TakeAsync();

        _partitions.LookAtClock();
        Assert.False(next.IsCompleted);
        _time.Advance(Patience / 2);
        _partitions.LookAtClock();

        Assert.Equal("a", await next);
        Assert.False(TakeAsync().IsCompleted);
    }

    [Fact]
    public async Task What_is_due_grows_until_somebody_takes_it()
    {
        Add("a", 1);
        _time.Advance(Patience);
        _partitions.LookAtClock();
        Add("a", 6);

        Assert.Equal(("aaa", "aaa"), (await TakeAsync(), await TakeAsync()));
    }

    [Fact]
    public async Task Tables_do_not_share_a_batch()
    {
        _partitions.Add(Hit.New("one", "a", "", DateTimeOffset.UnixEpoch));
        _partitions.Add(Hit.New("two", "a", "", DateTimeOffset.UnixEpoch));
        _partitions.Complete();

        Assert.Equal(("a", "a", null), (await TakeAsync(), await TakeAsync(), await TakeAsync()));
    }

    [Fact]
    public async Task At_the_end_everything_goes_and_then_there_is_no_more()
    {
        Add("a", 7);
        Add("b", 1);
        _partitions.Complete();

        var taken = new List<string>();
        while (await TakeAsync() is { } batch)
            taken.Add(batch);

        Assert.Equal(["a", "aaa", "aaa", "b"], taken.Order());
    }

    [Fact]
    public async Task An_end_without_hits_is_an_end()
    {
        var next = TakeAsync();
        _partitions.Complete();

        Assert.Null(await next);
    }

    private void Add(string account, int hits)
    {
        for (var i = 0; i < hits; i++)
            _partitions.Add(Hit.New("table", account, "reader", DateTimeOffset.UnixEpoch));
    }

    /// <returns>The accounts of the batch, in a row.</returns>
    private async Task<string?> TakeAsync() =>
        await _partitions.TakeAsync(TestContext.Current.CancellationToken) is { } batch
            ? string.Concat(batch.Select(hit => hit.PartitionKey))
            : null;
}
