using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>A service in its own process, for exit codes, standard error, and kills.</summary>
internal sealed class ServiceProcess : IAsyncDisposable
{
    private readonly Process _process;
    private readonly ReservedPort _port;
    private readonly ConcurrentQueue<string> _errors = new(),
        _output = new();

    private ServiceProcess(Process process, Uri address, ReservedPort port)
    {
        (_process, Address, _port) = (process, address, port);
        Http = new HttpClient { BaseAddress = address };
    }

    public Uri Address { get; }

    public HttpClient Http { get; }

    public int Id => _process.Id;

    public string Errors => TextOf(_errors);

    public string Output => TextOf(_output);

    /// <param name="inLab"><c>true</c> to load the lab agent, as the lab does for its processes.</param>
    public static ServiceProcess Start(
        string service,
        Dictionary<string, string?> settings,
        int port = 0,
        bool inLab = false,
        string? command = null,
        Dictionary<string, string>? environment = null
    )
    {
        var reserved = new ReservedPort();
        var address = new Uri($"http://127.0.0.1:{(port == 0 ? reserved.Number : port)}");
        var start = new ProcessStartInfo("dotnet") { RedirectStandardError = true, RedirectStandardOutput = true };
        start.ArgumentList.Add(Path.Combine(AppContext.BaseDirectory, $"DroneDelivery.{service}.dll"));
        if (command is not null)
            start.ArgumentList.Add(command);
        foreach (var (key, value) in settings.Append(new("urls", address.ToString())))
            start.ArgumentList.Add($"--{key}={value}");
        start.Environment["APPLICATIONINSIGHTS_STATSBEAT_DISABLED"] = "true";
        foreach (var (name, value) in environment ?? [])
            start.Environment[name] = value;
        if (inLab)
        {
            start.Environment["DOTNET_STARTUP_HOOKS"] = Path.Combine(
                AppContext.BaseDirectory,
                "DroneDelivery.LabAgent.dll"
            );
        }

        var process = new ServiceProcess(Process.Start(start)!, address, reserved);
        process._process.ErrorDataReceived += (_, line) => Keep(process._errors, line.Data);
        process._process.OutputDataReceived += (_, line) => Keep(process._output, line.Data);
        process._process.BeginErrorReadLine();
        process._process.BeginOutputReadLine();
        return process;
    }

    /// <returns>The only line that the process prints before it exits.</returns>
    public static async Task<string> RejectionAsync(
        string service,
        Dictionary<string, string?> settings,
        bool inLab = false
    )
    {
        await using var process = Start(service, settings, inLab: inLab);
        var exitCode = await process.ExitCodeAsync();
        return LineOf(service, command: null, exitCode, process.Output, process.Errors);
    }

    /// <summary>Returns the only output line: without a command, a service logs nothing before it.</summary>
    public static string LineOf(string service, string? command, int exitCode, string output, string errors)
    {
        Assert.Equal(1, exitCode);
        Assert.True(command is not null || output.Length == 0, output);
        var line = Assert.Single(errors.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith(
            $"DroneDelivery.{service} cannot {command?.TrimStart('-') ?? "start"}.",
            line,
            StringComparison.Ordinal
        );
        return line;
    }

    public async Task<int> ExitCodeAsync()
    {
        await _process.WaitForExitAsync(Cancelled);
        return _process.ExitCode;
    }

    public Task ReadyAsync() =>
        Eventually.TrueAsync(async () =>
        {
            Assert.False(_process.HasExited, $"The service ended. {Errors}");
            try
            {
                return await Http.StatusAsync("/health/ready") == HttpStatusCode.OK;
            }
            catch (HttpRequestException)
            {
                return false;
            }
        });

    public async Task StopAsync()
    {
        using var kill = Process.Start("kill", ["-TERM", $"{_process.Id}"]);
        await _process.WaitForExitAsync(Cancelled);
    }

    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync(CancellationToken.None);
    }

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        if (!_process.HasExited)
            await KillAsync();
        _process.Dispose();
        _port.Dispose();
    }

    private static void Keep(ConcurrentQueue<string> lines, string? line)
    {
        if (line is not null) // The end of the output.
            lines.Enqueue(line);
    }

    private static string TextOf(ConcurrentQueue<string> lines) => string.Concat(lines.Select(line => $"{line}\n"));
}
