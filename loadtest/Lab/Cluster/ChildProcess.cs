using System.ComponentModel;
using System.Diagnostics;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// A process that cannot outlive the lab. It runs under the lab's pipe: a shell reads its standard input in the background and then becomes
/// the command, so the command has the shell's process id; when the lab ends, however it ends, the pipe closes and the reader kills the
/// command. A line on the pipe ends the reader without a kill. That needs no list of process ids, leaves no moment without a guard, and works on Linux and macOS alike.
/// </summary>
internal sealed class ChildProcess : IAsyncDisposable
{
    // $1: log file. Ctrl-C reaches the whole process group; it is for the lab to stop its children, in order.
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

    /// <summary>Completes when the process has ended, with its exit code.</summary>
    public Task<int> Ended { get; }

    /// <summary>Completes when the process has ended, with what to say of it if nobody had asked it to.</summary>
    public async Task<CrashException> CrashAsync() => new(Name, await Ended, Log);

    /// <summary>CPU time that it has used. Of a process that has ended: what it was when it was last asked for.</summary>
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
                // It has ended; there is nothing to ask any more.
            }

            return _cpu;
        }
    }

    /// <summary>Whether the lab asked it to stop; otherwise its end is a crash.</summary>
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

    /// <summary>Asks the process to stop, and kills it when it has not within <paramref name="patience"/>.</summary>
    public async Task StopAsync(TimeSpan patience)
    {
        _stopping = true;
        if (Ended.IsCompleted || !Signals.Terminate(Id))
            return;
        if (await Task.WhenAny(Ended, Task.Delay(patience)) != Ended)
            _process.Kill();
        await Ended;
    }

    /// <summary>Ends it at once, as a crash would; nobody is told of one.</summary>
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

    // The process id is free from now on, so the guard must not kill it: another process may get it.
    private async Task ReleaseGuardAsync()
    {
        try
        {
            await _process.StandardInput.WriteLineAsync();
            _process.StandardInput.Close();
        }
        catch (IOException)
        {
            // The guard has ended, too.
        }
    }
}
