namespace Azure.Messaging.ServiceBus.Tests.Connection;

public sealed class ReopeningTests : IAsyncDisposable
{
    private readonly List<Thing> opened = [];
    private readonly TaskCompletionSource gate = new();
    private readonly Reopening<Thing> things;
    private bool fails;

    public ReopeningTests() => things = new Reopening<Thing>(OpenAsync, thing => thing.IsOpen, CloseAsync);

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public ValueTask DisposeAsync() => things.DisposeAsync();

    [Fact]
    public async Task Who_comes_while_it_opens_waits_for_the_same_one()
    {
        var callers = Enumerable.Range(0, 5).Select(_ => things.GetAsync(Cancelled).AsTask()).ToArray();
        Assert.Null(things.Current);
        gate.SetResult();

        var got = await Task.WhenAll(callers);

        Assert.Same(Assert.Single(opened), Assert.Single(got.Distinct()));
        Assert.Same(opened[0], things.Current);
    }

    [Fact]
    public async Task A_broken_one_is_closed_and_opened_anew()
    {
        gate.SetResult();
        var first = await things.GetAsync(Cancelled);
        first.IsOpen = false;
        Assert.Null(things.Current);

        var second = await things.GetAsync(Cancelled);

        Assert.NotSame(first, second);
        Assert.Equal((1, 0), (first.Closed, second.Closed));
    }

    [Fact]
    public async Task One_that_cannot_be_opened_is_tried_again_by_the_next()
    {
        gate.SetResult();
        fails = true;
        await Assert.ThrowsAsync<InvalidOperationException>(() => things.GetAsync(Cancelled).AsTask());
        fails = false;

        Assert.True((await things.GetAsync(Cancelled)).IsOpen);
    }

    [Fact]
    public async Task After_the_end_there_is_none()
    {
        gate.SetResult();
        var thing = await things.GetAsync(Cancelled);

        await things.DisposeAsync();
        await things.DisposeAsync();

        Assert.Equal(1, thing.Closed);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => things.GetAsync(Cancelled).AsTask());
    }

    private async Task<Thing> OpenAsync(CancellationToken cancellationToken)
    {
        await gate.Task.WaitAsync(cancellationToken);
        if (fails)
            throw new InvalidOperationException();
        opened.Add(new Thing());
        return opened[^1];
    }

    private static Task CloseAsync(Thing thing)
    {
        (thing.IsOpen, thing.Closed) = (false, thing.Closed + 1);
        return Task.CompletedTask;
    }

    private sealed class Thing
    {
        public bool IsOpen { get; set; } = true;

        public int Closed { get; set; }
    }
}
