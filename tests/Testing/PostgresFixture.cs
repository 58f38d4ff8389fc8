using System.Diagnostics;

namespace DroneDelivery.Testing;

/// <summary>
/// A PostgreSQL server for one test: on an available port, in a temporary folder, and without crash safety.
/// </summary>
public sealed class PostgresFixture : IAsyncDisposable
{
    private const string Ready = "database system is ready to accept connections";
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);

    // Debian installs the server's programs outside of PATH, in a folder for each version.
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

    // initdb takes a second of CPU, copying its result a tenth.
    private static readonly Lazy<Task<string>> Template = new(CreateTemplateAsync);

    private readonly string _folder = NewFolder();
    private readonly ReservedPort _port = new();
    private Process? _server;

    private PostgresFixture() { }

    /// <summary>If <c>false</c>, skip the test with <see cref="HowToInstall"/> as the reason.</summary>
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
            // The "immediate" shutdown, which also ends child processes.
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
        var template = await Template.Value.WaitAsync(cancellationToken);
        await RunAsync(StartUnprivileged("cp", ["-a", template, _folder]));
    }

    private static async Task<string> CreateTemplateAsync()
    {
        var folder = NewFolder();
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Directory.Delete(folder, recursive: true);
        await RunAsync(
            StartProgram("initdb", ["-D", folder, "-U", "lab", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
        );
        return folder;
    }

    private static string NewFolder() =>
        Path.Combine(Path.GetTempPath(), $"drone-delivery-postgres-{Guid.NewGuid():N}");

    private static async Task RunAsync(Process started)
    {
        using var process = started;
        var errors = process.StandardError.ReadToEndAsync();
        await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        if (process.ExitCode != 0)
            throw new InvalidOperationException($"{process.StartInfo.FileName} failed: {await errors}");
    }

    private async Task StartServerAsync(CancellationToken cancellationToken)
    {
        _server = StartProgram(
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

    private static Process StartProgram(string program, IEnumerable<string> arguments) =>
        StartUnprivileged(Path.Combine(Programs!, program), arguments);

    /// <summary>Starts a program as a user other than root, under which PostgreSQL doesn't run.</summary>
    private static Process StartUnprivileged(string path, IEnumerable<string> arguments)
    {
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
