using System.Threading.Channels;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Testing;

namespace DroneDelivery.Lab.Tests.Processes;

/// <summary>The supervisor of <c>lab up</c> on a clock of our own.</summary>
public sealed class SupervisorTests
{
    private readonly ManualTimeProvider _clock = new();
    private readonly Channel<CrashException> _crashes = Channel.CreateUnbounded<CrashException>();
    private readonly List<string> _said = [], _started = [];
    private int _changes;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_pauses_grow_and_end()
    {
        var supervisor = new Supervisor(RestartAsync, Say, () => Interlocked.Increment(ref _changes), _clock);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var running = supervisor.RunAsync(_crashes.Reader, restarts: true, stop.Token);

        foreach (var seconds in (int[])[1, 2, 4, 8, 16, 30, 30, 30])
        {
            var before = _started.Count;
            Crash("delivery-0", 134);
            await UntilAsync(() => Said($"delivery-0 is started again in {seconds} s."));
            Assert.Equal(ProcessHistory.Restarting, supervisor.Histories["delivery-0"].State);
            _clock.Advance(TimeSpan.FromSeconds(seconds - 0.5));
            Assert.Equal(before, _started.Count);
            _clock.Advance(TimeSpan.FromSeconds(0.5));
            await UntilAsync(() => supervisor.Histories["delivery-0"].State == ProcessHistory.Running);
            Forget();
        }

        Assert.Equal(Enumerable.Repeat("delivery-0", Supervisor.MaxInARow), _started);
        Crash("delivery-0", 1);
        await UntilAsync(() => Said(
            "delivery-0 ended 9 times in a row and is not started again. `./lab down` and `./lab up` start all of it anew."));
        Assert.Equal(new ProcessHistory(ProcessHistory.Ended, Supervisor.MaxInARow, 1), supervisor.Histories["delivery-0"]);
        Assert.True(_changes > 2 * Supervisor.MaxInARow, "the state was not told");
        await stop.CancelAsync();
        await running;
    }

    [Fact]
    public async Task One_that_ran_for_a_minute_begins_with_the_first_pause_again_and_others_have_pauses_of_their_own()
    {
        var supervisor = new Supervisor(RestartAsync, Say, () => { }, _clock);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var running = supervisor.RunAsync(_crashes.Reader, restarts: true, stop.Token);
        Crash("broker", 137);
        await UntilAsync(() => Said("broker is started again in 1 s."));
        _clock.Advance(TimeSpan.FromSeconds(1));
        await UntilAsync(() => Said("broker is ready again."));

        Crash("redis", 137);
        await UntilAsync(() => Said("redis is started again in 1 s."));
        _clock.Advance(TimeSpan.FromSeconds(1));
        await UntilAsync(() => Said("redis is ready again. What it held is gone: it keeps it in memory only."));

        Crash("package-0", 137);
        await UntilAsync(() => Said("package-0 is started again in 1 s."));
        _clock.Advance(TimeSpan.FromSeconds(61));
        await UntilAsync(() => Said("package-0 is ready again."));
        Forget();
        Crash("broker", 137);
        await UntilAsync(() => Said("broker is started again in 1 s."));

        Assert.Equal(new ProcessHistory(ProcessHistory.Restarting, 1, 137), supervisor.Histories["broker"]);
        await stop.CancelAsync(); // in the middle of a pause
        await running;
        Assert.Equal(["broker", "redis", "package-0"], _started);
    }

    [Fact]
    public async Task One_that_does_not_become_ready_is_said_and_left()
    {
        var supervisor = new Supervisor((_, _) => throw new LabException("not ready within 60 s"), Say, () => { }, _clock);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var running = supervisor.RunAsync(_crashes.Reader, restarts: true, stop.Token);
        Crash("workflow-0", 137);
        await UntilAsync(() => Said("workflow-0 is started again in 1 s."));
        _clock.Advance(TimeSpan.FromSeconds(1));
        await UntilAsync(() => Said("not ready within 60 s"));

        Assert.Equal(new ProcessHistory(ProcessHistory.Ended, 1, 137), supervisor.Histories["workflow-0"]);
        await stop.CancelAsync();
        await running;
    }

    [Fact]
    public async Task One_that_cannot_be_started_is_said_and_left()
    {
        var supervisor = new Supervisor(
            (_, _) => throw new System.ComponentModel.Win32Exception("No processes are left"), Say, () => { }, _clock);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var running = supervisor.RunAsync(_crashes.Reader, restarts: true, stop.Token);
        Crash("workflow-0", 137);
        await UntilAsync(() => Said("workflow-0 is started again in 1 s."));
        _clock.Advance(TimeSpan.FromSeconds(1));
        await UntilAsync(() => Said("workflow-0 could not be started again: No processes are left"));

        Assert.Equal(new ProcessHistory(ProcessHistory.Ended, 0, 137), supervisor.Histories["workflow-0"]);
        await stop.CancelAsync();
        await running;
    }

    [Fact]
    public async Task One_that_ends_while_it_starts_is_restarting_until_its_own_crash_is_told()
    {
        var supervisor = new Supervisor(
            (name, _) => throw new CrashException(name, 134, "/nowhere.log"), Say, () => Interlocked.Increment(ref _changes), _clock);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var running = supervisor.RunAsync(_crashes.Reader, restarts: true, stop.Token);
        Crash("broker", 137);
        await UntilAsync(() => Said("broker is started again in 1 s."));
        _clock.Advance(TimeSpan.FromSeconds(1));
        await UntilAsync(() => Volatile.Read(ref _changes) == 2);
        Assert.Equal(new ProcessHistory(ProcessHistory.Restarting, 1, 137), supervisor.Histories["broker"]);

        Crash("broker", 134);
        await UntilAsync(() => Said("broker is started again in 2 s."));

        Assert.Equal(new ProcessHistory(ProcessHistory.Restarting, 1, 134), supervisor.Histories["broker"]);
        await stop.CancelAsync();
        await running;
    }

    [Fact]
    public async Task Nothing_is_started_where_that_was_not_wanted()
    {
        var supervisor = new Supervisor(RestartAsync, Say, () => { }, _clock);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var running = supervisor.RunAsync(_crashes.Reader, restarts: false, stop.Token);
        Crash("workflow-0", 137);
        await UntilAsync(() => supervisor.Histories.ContainsKey("workflow-0"));
        _clock.Advance(TimeSpan.FromMinutes(5));

        Assert.Equal(new ProcessHistory(ProcessHistory.Ended, 0, 137), supervisor.Histories["workflow-0"]);
        Assert.StartsWith("workflow-0 ended by itself with exit code 137.", Assert.Single(_said), StringComparison.Ordinal);
        Assert.Empty(_started);
        await stop.CancelAsync();
        await running;
    }

    private Task RestartAsync(string name, CancellationToken cancellationToken)
    {
        lock (_started)
            _started.Add(name);
        return Task.CompletedTask;
    }

    private void Crash(string name, int exitCode) => _crashes.Writer.TryWrite(new(name, exitCode, "/nowhere.log"));

    private void Say(string sentence)
    {
        lock (_said)
            _said.Add(sentence);
    }

    private void Forget()
    {
        lock (_said)
            _said.Clear();
    }

    private bool Said(string sentence)
    {
        lock (_said)
            return _said.Contains(sentence);
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        for (var began = TimeProvider.System.GetTimestamp(); !condition(); await Task.Delay(2, Cancel))
            Assert.True(TimeProvider.System.GetElapsedTime(began) < TimeSpan.FromSeconds(60), "waited 60 s in vain");
    }
}
