using System.Diagnostics;

namespace DroneDelivery.Testing;

/// <summary>A PostgreSQL of the test's own: on a free port, in a folder of its own that goes with it, and not safe against
/// a crash.</summary>
public sealed class PostgresFixture : IAsyncDisposable
{
    private const string Ready = "database system is ready to accept connections";
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);

    // Debian keeps the server's programs out of PATH, a folder for each version.
    private static readonly string? Programs = (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator)
        .Concat(
            Directory.Exists("/usr/lib/postgresql")
                ? Directory.GetDirectories("/usr/lib/postgresql").Select(version => Path.Combine(version, "bin"))
                : []
        )
        .FirstOrDefault(folder =>
            File.Exists(Path.Combine(folder, "initdb")) && File.Exists(Path.Combine(folder, "postgres"))
        );

    private readonly string _folder = Path.Combine(Path.GetTempPath(), $"drone-delivery-postgres-{Guid.NewGuid():N}");
    private readonly ReservedPort _port = new();
    private Process? _server;

    private PostgresFixture() { }

    /// <summary>False: skip the test, with <see cref="HowToInstall"/> as the reason.</summary>
    public static bool IsInstalled => Programs is not null;

    public static string HowToInstall =>
        "PostgreSQL is not installed: apt-get install postgresql, or brew install postgresql.";

    public string ConnectionString => $"Host=127.0.0.1;Port={_port.Number};Username=lab;Database=postgres";

    public static async Task<PostgresFixture> StartAsync(CancellationToken cancellationToken = default)
    {
        var postgres = new PostgresFixture();
        try
        {
            await postgres.CreateFolderAsync(cancellationToken);
            await postgres.StartServerAsync(cancellationToken);
            return postgres;
        }
        catch
        {
            await postgres.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
        {
            // Its "immediate" shutdown, which takes its children along.
            using var kill = Process.Start("kill", ["-QUIT", $"{_server.Id}"]);
            await kill.WaitForExitAsync();
            await _server.WaitForExitAsync();
            _server.Dispose();
        }

        _port.Dispose();
        if (Directory.Exists(_folder))
            Directory.Delete(_folder, recursive: true);
    }

    private async Task CreateFolderAsync(CancellationToken cancellationToken)
    {
        using var initdb = Start(
            "initdb",
            ["-D", _folder, "-U", "lab", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        );
        var errors = initdb.StandardError.ReadToEndAsync(cancellationToken);
        await initdb.StandardOutput.ReadToEndAsync(cancellationToken);
        await initdb.WaitForExitAsync(cancellationToken);
        if (initdb.ExitCode != 0)
            throw new InvalidOperationException($"initdb failed: {await errors}");
    }

    private async Task StartServerAsync(CancellationToken cancellationToken)
    {
        _server = Start(
            "postgres",
            ["-D", _folder, "-p", $"{_port.Number}", "-h", "127.0.0.1", "-k", "", "-F", "-c", "full_page_writes=off"]
        );
        var ready = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var said = new List<string?>();
        _server.OutputDataReceived += (_, _) => { };
        _server.ErrorDataReceived += (_, line) =>
        {
            lock (said)
                said.Add(line.Data);
            if (line.Data is null)
            {
                ready.TrySetException(
                    new InvalidOperationException(
                        $"PostgreSQL on port {_port.Number} did not start: {string.Join('\n', said)}"
                    )
                );
            }
            else if (line.Data.Contains(Ready, StringComparison.Ordinal))
            {
                ready.TrySetResult();
            }
        };
        _server.BeginOutputReadLine();
        _server.BeginErrorReadLine();
        await ready.Task.WaitAsync(StartLimit, cancellationToken);
    }

    /// <summary>Not as root, whom PostgreSQL refuses to work for.</summary>
    private static Process Start(string program, IEnumerable<string> arguments)
    {
        var path = Path.Combine(Programs!, program);
        string[] command = Environment.IsPrivilegedProcess
            ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", path, .. arguments]
            : [path, .. arguments];
        var start = new ProcessStartInfo(command[0], command[1..])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Path.GetTempPath(),
        };
        start.Environment["LC_ALL"] = "C";
        return Process.Start(start)!;
    }
}
