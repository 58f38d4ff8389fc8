using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace DroneDelivery.Bench;

/// <summary>A process under test. It is killed, with its children, when this is disposed.</summary>
internal sealed class ChildProcess : IAsyncDisposable
{
    private const string InlineCompletions = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    private readonly Process _process;

    private ChildProcess(Process process) => _process = process;

    public int Id => _process.Id;

    /// <summary>This process, the load generator, handles what arrives on the threads that wait for it. To be called before any
    /// connection; the processes under test decide for themselves.</summary>
    public static void KeepLoadLean() => Environment.SetEnvironmentVariable(InlineCompletions, "1");

    public static ChildProcess Start(
        string file,
        IEnumerable<string> arguments,
        IReadOnlyDictionary<string, string> environment
    )
    {
        var start = new ProcessStartInfo(file, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment.Remove(InlineCompletions);
        foreach (var (name, value) in environment)
            start.Environment[name] = value;
        var process = Process.Start(start) ?? throw new InvalidOperationException($"{file} did not start.");
        // Output is read and dropped: a full pipe would stop the process.
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return new ChildProcess(process);
    }

    /// <summary>One of our own programs, as the release build left it under artifacts/bin.</summary>
    public static ChildProcess StartOwn(
        string project,
        IEnumerable<string> arguments,
        IReadOnlyDictionary<string, string> environment
    ) => Start("dotnet", [OwnProgram(project), .. arguments], environment);

    public static string OwnProgram(string project)
    {
        var path = Path.Combine(
            RepositoryRoot(),
            "artifacts",
            "bin",
            project,
            "release",
            $"DroneDelivery.{project}.dll"
        );
        return File.Exists(path)
            ? path
            : throw new FileNotFoundException($"{path} is missing: run `dotnet build -c Release` first.");
    }

    /// <summary>A file or folder of the repository.</summary>
    public static string InRepository(params string[] path) => Path.Combine([RepositoryRoot(), .. path]);

    /// <summary>CPU that it has used since its start.</summary>
    public TimeSpan CpuTime()
    {
        _process.Refresh();
        return _process.TotalProcessorTime;
    }

    /// <summary>The same, with what its descendants have used: of a program that a script starts.</summary>
    public TimeSpan CpuTimeOfAll()
    {
        var sum = TimeSpan.Zero;
        foreach (var id in ProcessTree.WithDescendants(Id))
        {
            using var process = Process.GetProcessById(id);
            sum += process.TotalProcessorTime;
        }
        return sum;
    }

    public static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    public static async Task UntilReachable(int port, TimeSpan patience)
    {
        using var timeout = new CancellationTokenSource(patience);
        while (true)
        {
            using var client = new TcpClient();
            try
            {
                await client.ConnectAsync(IPAddress.Loopback, port, timeout.Token);
                return;
            }
            catch (SocketException)
            {
                await Task.Delay(100, timeout.Token);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
            _process.Kill(entireProcessTree: true);
        await _process.WaitForExitAsync();
        _process.Dispose();
    }

    private static string RepositoryRoot()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "DroneDelivery.slnx")))
        {
            folder = Path.GetDirectoryName(folder)
                ?? throw new InvalidOperationException("Run this from a checkout: DroneDelivery.slnx was not found.");
        }
        return folder;
    }
}
