using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using DroneDelivery.Lab;

namespace DroneDelivery.Bench;

/// <summary>A process under test. Disposing kills it and its children.</summary>
internal sealed class ChildProcess : IAsyncDisposable
{
    private const string InlineCompletions = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    private readonly Process _process;

    private ChildProcess(Process process) => _process = process;

    public int Id => _process.Id;

    /// <summary>
    /// Configures this process, the load generator, to handle data on the threads that wait for it. Call it before any connection; it
    /// doesn't affect the processes under test.
    /// </summary>
    public static void KeepLoadLean() => Environment.SetEnvironmentVariable(InlineCompletions, "1");

    public static ChildProcess Start(
        string file,
        IEnumerable<string> arguments,
        params IEnumerable<(string Name, string Value)> environment
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
        // Discard the output: a full pipe would block the process.
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return new ChildProcess(process);
    }

    /// <summary>Starts a .NET program with the settings of the lab's processes.</summary>
    public static ChildProcess StartDotnet(
        IEnumerable<string> arguments,
        params IEnumerable<(string Name, string Value)> environment
    ) =>
        Start(
            "dotnet",
            arguments,
            [("DOTNET_gcServer", "0"), ("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0"), .. environment]
        );

    /// <summary>Returns the path of a program of this repository in artifacts/bin.</summary>
    public static string OwnProgram(string project)
    {
        var path = Repository.Assembly(project);
        return File.Exists(path)
            ? path
            : throw new FileNotFoundException($"{path} is missing: run `dotnet build -c Release` first.");
    }

    /// <summary>Returns the CPU time since the start, including descendants, because a script can start the program.</summary>
    public TimeSpan CpuTime()
    {
        var sum = TimeSpan.Zero;
        foreach (var id in WithDescendants(Id))
        {
            using var process = Process.GetProcessById(id);
            sum += process.TotalProcessorTime;
        }
        return sum;
    }

    /// <summary>Returns a process and its descendants, from /proc.</summary>
    public static List<int> WithDescendants(int root)
    {
        var parents = Process.GetProcesses().ToDictionary(process => process.Id, process => ParentOf(process.Id));
        var found = new List<int> { root };
        for (var next = 0; next < found.Count; next++)
            found.AddRange(parents.Where(entry => entry.Value == found[next]).Select(entry => entry.Key));
        return found;
    }

    public static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    public static async Task UntilReachable(int port)
    {
        using var timeout = new CancellationTokenSource(TimeSpan.FromSeconds(60));
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

    private static int ParentOf(int id)
    {
        try
        {
            // The command name in parentheses can contain spaces, so fields count from its end.
            var stat = File.ReadAllText($"/proc/{id}/stat");
            return int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[1], CultureInfo.InvariantCulture);
        }
        catch (IOException)
        {
            return 0; // the process exited between listing and reading
        }
    }
}
