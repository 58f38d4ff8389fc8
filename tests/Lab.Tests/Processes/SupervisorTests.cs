using System.Collections.Concurrent;
using System.ComponentModel;
using System.Threading.Channels;

namespace DroneDelivery.Lab.Tests.Processes;

public sealed class SupervisorTests : IAsyncDisposable
{
    private readonly ManualTimeProvider _clock = new();
    private readonly Channel<CrashException> _crashes = Channel.CreateUnbounded<CrashException>();
    private readonly ConcurrentQueue<string> _said = new(),
        _started = new();
    private readonly CancellationTokenSource _stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
    private Task _running = Task.CompletedTask;

    /// <summary>Stops the supervisor, which must end from any state, even in the middle of a pause.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _running;
        _stop.Dispose();
    }

    [Fact]
    public async Task Restart_pauses_grow_until_the_supervisor_gives_up()
    {
        Start(RestartAsync);

        foreach (var seconds in (int[])[1, 2, 4, 8, 16, 30, 30, 30])
        {
            var before = _started.Count;
            await CrashAsync("delivery-0", 134, pause: seconds);
            _clock.Advance(TimeSpan.FromSeconds(seconds - 0.5));
            Assert.Equal(before, _started.Count);
            _clock.Advance(TimeSpan.FromSeconds(0.5));
            await UntilAsync(() => _said.Contains("delivery-0 is ready again."));
            _said.Clear();
        }

        Assert.Equal(Enumerable.Repeat("delivery-0", Supervisor.MaxInARow), _started);
        Crash("delivery-0", 1);
        await UntilAsync(() =>
            _said.Contains(
                "delivery-0 exited 9 times in a row and won't be restarted. `./lab down` and `./lab up` restart the application."
            )
        );
    }

    [Fact]
    public async Task Restart_pauses_are_per_process_and_reset_after_a_minute()
    {
        Start(RestartAsync);
        await CrashAsync("broker", 137, pause: 1);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await UntilAsync(() => _said.Contains("broker is ready again."));

        await CrashAsync("redis", 137, pause: 1);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await UntilAsync(() => _said.Contains("redis is ready again. Its in-memory data is lost."));

        await CrashAsync("package-0", 137, pause: 1);
        _clock.Advance(TimeSpan.FromSeconds(61));
        await UntilAsync(() => _said.Contains("package-0 is ready again."));
        _said.Clear();
        await CrashAsync("broker", 137, pause: 1);

        Assert.Equal(["broker", "redis", "package-0"], _started);
    }

    [Theory]
    [InlineData(true, "not ready within 60 s")]
    [InlineData(false, "workflow-0 could not be restarted: No processes are left")]
    public async Task Failed_restart_is_reported_and_not_repeated(bool starts, string said)
    {
        Exception why = starts
            ? new LabException("not ready within 60 s")
            : new Win32Exception("No processes are left");
        Start(
            (name, _) =>
            {
                _started.Enqueue(name);
                throw why;
            }
        );
        await CrashAsync("workflow-0", 137, pause: 1);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await UntilAsync(() => _said.Contains(said));

        _clock.Advance(TimeSpan.FromMinutes(5));
        Assert.Single(_started);
    }

    [Fact]
    public async Task Crash_during_a_restart_makes_the_next_pause_longer()
    {
        Start(
            (name, _) =>
            {
                _started.Enqueue(name);
                throw new CrashException(name, 134, "/nowhere.log");
            }
        );
        await CrashAsync("broker", 137, pause: 1);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await UntilAsync(() => _started.Count == 1);

        await CrashAsync("broker", 134, pause: 2);

        Assert.DoesNotContain("broker is ready again.", _said);
    }

    private void Start(Func<string, CancellationToken, Task> restart) =>
        _running = new Supervisor(restart, _said.Enqueue, _clock).RunAsync(_crashes.Reader, _stop.Token);

    private Task RestartAsync(string name, CancellationToken cancellationToken)
    {
        _started.Enqueue(name);
        return Task.CompletedTask;
    }

    private Task CrashAsync(string name, int exitCode, int pause)
    {
        Crash(name, exitCode);
        return UntilAsync(() => _said.Contains($"{name} restarts in {pause} s."));
    }

    private void Crash(string name, int exitCode) => _crashes.Writer.TryWrite(new(name, exitCode, "/nowhere.log"));
}
