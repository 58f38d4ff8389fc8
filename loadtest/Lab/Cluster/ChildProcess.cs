using System.ComponentModel;
using System.Diagnostics;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// A process that can't outlive the lab. A shell starts a background reader of its standard input and then becomes the command, with the
/// same process id. When the lab ends for any reason, the pipe closes, and the reader kills the command. A line on the pipe ends only the
/// reader. This works on Linux and macOS and leaves no moment unguarded.
/// </summary>
internal sealed class ChildProcess : IAsyncDisposable
{
    // $1: log file. Ctrl-C reaches the whole process group; ignored here, because the lab stops its children in order.
    private const string Guarded = """
        exec 3<&0 </dev/null >>"$1" 2>&1
        shift
        trap '' INT
        (read -r _ <&3 || kill -9 $$) >/dev/null 2>&1 &
        exec "$@" 3<&-
        """;

    private readonly Process _process;
    private volatile bool _stopping;
    private TimeSpan _cpu;

    private ChildProcess(string name, string log, Process process)
    {
        (Name, Log, _process) = (name, log, process);
        Id = process.Id;
        Ended = WaitAsync();
    }

    public string Name { get; }

    public string Log { get; }

    public int Id { get; }

    public Task<int> Ended { get; }

    /// <summary>Completes on exit. The result describes an unexpected exit.</summary>
    public async Task<CrashException> CrashAsync() => new(Name, await Ended, Log);

    /// <summary>The CPU time; for an exited process, the last value read.</summary>
    public TimeSpan Cpu
    {
        get
        {
            try
            {
                _process.Refresh();
                _cpu = _process.TotalProcessorTime;
            }
            catch (Exception exception) when (exception is InvalidOperationException or Win32Exception)
            {
                // The process has exited.
            }

            return _cpu;
        }
    }

    /// <summary>Whether the lab has requested a stop; otherwise, an exit is a crash.</summary>
    public bool IsStopping => _stopping;

    public static ChildProcess Start(
        string name,
        string log,
        string workingDirectory,
        IReadOnlyDictionary<string, string> environment,
        IEnumerable<string> command
    )
    {
        var start = new ProcessStartInfo("/bin/sh", ["-c", Guarded, "lab", log, .. command])
        {
            RedirectStandardInput = true,
            WorkingDirectory = workingDirectory,
        };
        foreach (var (key, value) in environment)
            start.Environment[key] = value;
        return new(name, log, Process.Start(start) ?? throw new LabException($"{name} could not be started."));
    }

    /// <summary>Requests a stop; kills the process after <paramref name="timeout"/>.</summary>
    public async Task StopAsync(TimeSpan timeout)
    {
        _stopping = true;
        if (Ended.IsCompleted || !Signals.Terminate(Id))
            return;
        if (await Task.WhenAny(Ended, Task.Delay(timeout)) != Ended)
            _process.Kill();
        await Ended;
    }

    /// <summary>Kills the process without reporting a crash.</summary>
    public async Task KillAsync()
    {
        _stopping = true;
        if (!Ended.IsCompleted)
            _process.Kill();
        await Ended;
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync(TimeSpan.FromSeconds(10));
        _process.Dispose();
    }

    private async Task<int> WaitAsync()
    {
        await _process.WaitForExitAsync();
        await ReleaseGuardAsync();
        return _process.ExitCode;
    }

    // The process id can be reused from now on, so the guard must not kill it.
    private async Task ReleaseGuardAsync()
    {
        try
        {
            await _process.StandardInput.WriteLineAsync();
            _process.StandardInput.Close();
        }
        catch (IOException)
        {
            // The guard has exited too.
        }
    }
}
