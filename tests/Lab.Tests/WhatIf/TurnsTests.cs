namespace DroneDelivery.Lab.Tests.WhatIf;

/// <summary>Who is answered when several ask.</summary>
public sealed class TurnsTests
{
    [Fact]
    public async Task A_question_that_was_overtaken_while_it_waited_is_dropped()
    {
        using var turns = new Turns();
        using var begun = new SemaphoreSlim(0);
        using var go = new ManualResetEventSlim();
        var first = OnAnotherThread(() => turns.TakeAsync("a", 1, () => Blocked(begun, go), Cancel));
        await begun.WaitAsync(Cancel);

        // Their order of asking is that of these lines: each waits as soon as it has announced itself.
        var second = turns.TakeAsync("a", 2, () => "2", Cancel);
        var third = turns.TakeAsync("a", 3, () => "3", Cancel);
        var other = turns.TakeAsync("b", 1, () => "b", Cancel);
        go.Set();

        Assert.Equal(new List<string?> { "1", null, "3", "b" }, await Task.WhenAll(first, second, third, other));
    }

    [Fact]
    public async Task One_simulation_runs_at_a_time()
    {
        using var turns = new Turns();
        var (running, most) = (0, 0);
        string Work()
        {
            most = Math.Max(most, Interlocked.Increment(ref running));
            Thread.SpinWait(100_000);
            Interlocked.Decrement(ref running);
            return "";
        }

        await Task.WhenAll(Enumerable.Range(0, 16).Select(page => OnAnotherThread(() => turns.TakeAsync($"{page}", 1, Work, Cancel))));

        Assert.Equal(1, most);
    }

    [Fact]
    public async Task Who_fails_or_leaves_lets_the_next_one_in()
    {
        using var turns = new Turns();
        await Assert.ThrowsAsync<BadInputException>(() => turns.TakeAsync<string>("a", 1, () => throw new BadInputException(""), Cancel));
        using var gone = new CancellationTokenSource();
        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => turns.TakeAsync("a", 2, () => "2", gone.Token));

        Assert.Equal("3", await turns.TakeAsync("a", 3, () => "3", Cancel));
    }

    [Fact]
    public async Task Who_comes_when_too_many_wait_is_sent_away_and_may_ask_again()
    {
        using var turns = new Turns();
        using var begun = new SemaphoreSlim(0);
        using var go = new ManualResetEventSlim();
        var first = OnAnotherThread(() => turns.TakeAsync("", 0, () => Blocked(begun, go), Cancel));
        await begun.WaitAsync(Cancel);
        // They give no turn, so none of them overtakes another.
        var waiting = Enumerable.Range(0, Turns.MostWaiting).Select(_ => turns.TakeAsync("", 0, () => "x", Cancel)).ToList();

        await Assert.ThrowsAsync<CrowdedException>(() => turns.TakeAsync("", 0, () => "x", Cancel));
        go.Set();

        Assert.Equal("1", await first);
        Assert.All(await Task.WhenAll(waiting), answer => Assert.Equal("x", answer));
        Assert.Equal("x", await turns.TakeAsync("", 0, () => "x", Cancel));
    }

    [Fact]
    public async Task More_pages_than_anybody_opens_are_answered_and_not_all_remembered()
    {
        using var turns = new Turns();

        for (var page = 0; page < 1000; page++)
            Assert.Equal("x", await turns.TakeAsync($"{page}", 1, () => "x", Cancel));

        Assert.InRange(turns.Remembered, 1, 256);
    }

    private static string Blocked(SemaphoreSlim begun, ManualResetEventSlim go)
    {
        begun.Release();
        go.Wait(Cancel);
        return "1";
    }

    private static Task<string?> OnAnotherThread(Func<Task<string?>> work) =>
        Task.Factory.StartNew(work, Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
}
