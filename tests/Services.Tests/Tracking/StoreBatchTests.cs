using DroneDelivery.Tracking;
using DroneDelivery.Tracking.Tables;
using DroneDelivery.Tracking.Writing;

namespace DroneDelivery.Services.Tests.Tracking;

/// <summary>What becomes of a batch that the table server does not take at once.</summary>
public sealed class StoreBatchTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(57)]
    [InlineData(99)]
    public async Task A_hit_that_is_refused_does_not_take_the_others_with_it(int poisoned)
    {
        var hits = Hits(100);
        var server = new FakeTableServer
        {
            Verdict = (_, batch) => batch.Contains(hits[poisoned]) ? TableFailure.Refused : null,
        };
        var outcome = new Outcome();

        await server.CreateStore(NoWaits()).RunAsync(hits, outcome, TestContext.Current.CancellationToken);

        Assert.Equal([hits[poisoned]], outcome.Refused);
        Assert.Equal(99, outcome.Stored.Count);
        Assert.Equal(hits.Except(outcome.Refused), server.Stored);
    }

    [Fact]
    public async Task A_failure_that_nobody_foresaw_is_about_one_hit_and_not_about_the_others()
    {
        var hits = Hits(100);
        var server = new FakeTableServer
        {
            Verdict = (_, batch) => batch.Contains(hits[37]) ? throw new InvalidOperationException("A defect.") : null,
        };
        var outcome = new Outcome();

        await server.CreateStore(NoWaits()).RunAsync(hits, outcome, TestContext.Current.CancellationToken);

        Assert.Equal([hits[37]], outcome.Refused);
        Assert.Equal(99, outcome.Stored.Count);
    }

    [Fact]
    public async Task Hits_that_refuse_each_other_are_stored_one_after_the_other()
    {
        var hits = Hits(100);
        hits[99] = hits[0] with { }; // a message that was sent twice: Table Storage refuses a row twice in a request
        var server = new FakeTableServer
        {
            Verdict = (_, batch) => batch.Select(hit => hit.RowKey).Distinct().Count() < batch.Count ? TableFailure.Refused : null,
        };
        var outcome = new Outcome();

        await server.CreateStore(NoWaits()).RunAsync(hits, outcome, TestContext.Current.CancellationToken);

        Assert.Empty(outcome.Refused);
        Assert.Equal(100, outcome.Stored.Count);
    }

    [Fact]
    public async Task A_server_that_is_away_is_asked_again_until_it_is_there()
    {
        var hits = Hits(100);
        var server = new FakeTableServer { Verdict = (request, _) => request < 20 ? TableFailure.Unavailable : null };
        var outcome = new Outcome();

        await server.CreateStore(NoWaits()).RunAsync(hits, outcome, TestContext.Current.CancellationToken);

        Assert.Equal(20, server.Requests);
        Assert.Equal(hits, server.Stored);
    }

    [Fact]
    public async Task A_table_that_somebody_deletes_is_created_again()
    {
        var server = new FakeTableServer { Verdict = (request, _) => request == 2 ? TableFailure.NoTable : null };
        var store = server.CreateStore(NoWaits());

        for (var i = 0; i < 3; i++)
            await store.RunAsync(Hits(1), new Outcome(), TestContext.Current.CancellationToken);

        Assert.Equal((3, 2), (server.Stored.Count, server.TablesCreated));
    }

    [Fact]
    public async Task Whoever_gives_up_tells_nobody_that_something_is_stored()
    {
        using var giveUp = new CancellationTokenSource();
        var server = new FakeTableServer
        {
            Verdict = (request, _) =>
            {
                if (request == 3)
                    giveUp.Cancel();
                return TableFailure.Unavailable;
            },
        };
        var outcome = new Outcome();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => server.CreateStore(NoWaits()).RunAsync(Hits(2), outcome, giveUp.Token));

        Assert.Empty(outcome.Stored);
        Assert.Empty(outcome.Refused);
    }

    private static InstantTime NoWaits() => new(limit: TimeSpan.FromMinutes(1));

    private static Hit[] Hits(int count) =>
        [.. Enumerable.Range(0, count).Select(_ => Hit.New("table", "account", "reader", DateTimeOffset.UnixEpoch))];

    private sealed class Outcome : IHitOutcome
    {
        public List<Hit> Stored { get; } = [];

        public List<Hit> Refused { get; } = [];

        public Task StoredAsync(IReadOnlyList<Hit> hits)
        {
            Stored.AddRange(hits);
            return Task.CompletedTask;
        }

        public Task RefusedAsync(Hit hit, string reason)
        {
            Refused.Add(hit);
            return Task.CompletedTask;
        }
    }
}
