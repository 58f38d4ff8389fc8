namespace Azure.Messaging.ServiceBus.Tests.Connection;

public sealed class ReopeningTests : IAsyncDisposable
{
    private readonly List<Thing> _opened = [];
    private readonly TaskCompletionSource _gate = new();
    private readonly Reopening<Thing> _things;
    private bool _fails;

    public ReopeningTests() => _things = new Reopening<Thing>(OpenAsync, thing => thing.IsOpen, CloseAsync);

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public ValueTask DisposeAsync() => _things.DisposeAsync();

    [Fact]
    public async Task Who_comes_while_it_opens_waits_for_the_same_one()
    {
        var callers = Enumerable.Range(0, 5).Select(_ => _things.GetAsync(Cancelled).AsTask()).ToArray();
        Assert.Null(_things.Current);
        _gate.SetResult();

        var got = await Task.WhenAll(callers);

        Assert.Same(Assert.Single(_opened), Assert.Single(got.Distinct()));
        Assert.Same(_opened[0], _things.Current);
    }

    [Fact]
    public async Task A_broken_one_is_closed_and_opened_anew()
    {
        _gate.SetResult();
        var first = await _things.GetAsync(Cancelled);
        first.IsOpen = false;
        Assert.Null(_things.Current);

        var second = await _things.GetAsync(Cancelled);

        Assert.NotSame(first, second);
        Assert.Equal((1, 0), (first.Closed, second.Closed));
    }

    [Fact]
    public async Task One_that_cannot_be_opened_is_tried_again_by_the_next()
    {
        _gate.SetResult();
        _fails = true;
        await Assert.ThrowsAsync<InvalidOperationException>(() => _things.GetAsync(Cancelled).AsTask());
        _fails = false;

        Assert.True((await _things.GetAsync(Cancelled)).IsOpen);
    }

    [Fact]
    public async Task After_the_end_there_is_none()
    {
        _gate.SetResult();
        var thing = await _things.GetAsync(Cancelled);

        await _things.DisposeAsync();
        await _things.DisposeAsync();

        Assert.Equal(1, thing.Closed);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => _things.GetAsync(Cancelled).AsTask());
    }

    private async Task<Thing> OpenAsync(CancellationToken cancellationToken)
    {
        await _gate.Task.WaitAsync(cancellationToken);
        if (_fails)
            throw new InvalidOperationException();
        _opened.Add(new Thing());
        return _opened[^1];
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
