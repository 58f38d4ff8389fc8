using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

/// <summary>Output and exit of the broker's process.</summary>
public sealed class ProcessTests
{
    [Fact]
    public async Task Process_prints_its_connection_string_and_stops_on_SIGTERM()
    {
        using var process = Start("--port", "0");
        var line = await process.StandardOutput.ReadLineAsync(Cancel);

        Assert.StartsWith("Service Bus is listening: Endpoint=sb://127.0.0.1:", line, StringComparison.Ordinal);
        if (OperatingSystem.IsLinux()) // Lists the files that a process has open.
        {
            var open = new DirectoryInfo($"/proc/{process.Id}/fd")
                .EnumerateFiles()
                .Select(file => file.LinkTarget)
                .ToList();
            Assert.Contains(open, file => file?.StartsWith("socket:", StringComparison.Ordinal) == true);
            Assert.DoesNotContain("anon_inode:inotify", open);
        }
        using var terminate = Process.Start("kill", ["-TERM", $"{process.Id}"]);
        await process.WaitForExitAsync(Cancel);
        Assert.Equal(0, process.ExitCode);
        Assert.Equal("", await process.StandardError.ReadToEndAsync(Cancel));
    }

    [Theory]
    [InlineData("queue.1 topic.1/Subscriptions/subscription.1", "topic.1")]
    [InlineData("invoices orders", "", "--queue", "orders", "--queue=invoices")]
    public async Task Process_creates_the_given_queues_or_those_of_the_samples(
        string queues,
        string topics,
        params string[] arguments
    )
    {
        using var process = Start(["--port", "0", .. arguments]);
        var line = await process.StandardOutput.ReadLineAsync(Cancel);
        var port = line!.Split("127.0.0.1:")[1].Split(';')[0];
        using var http = new HttpClient();
        using var counters = System.Text.Json.JsonDocument.Parse(
            await http.GetStringAsync(new Uri($"http://127.0.0.1:{port}/$counters"), Cancel)
        );
        process.Kill();

        var names = counters.RootElement.GetProperty("queues").EnumerateObject().Select(property => property.Name);
        Assert.Equal(queues, string.Join(' ', names.Order(StringComparer.Ordinal)));
        Assert.Equal(topics, string.Join(' ', counters.RootElement.GetProperty("topics").EnumerateArray()));
        await process.WaitForExitAsync(Cancel);
    }

    [Fact]
    public async Task Configured_keys_are_not_printed()
    {
        using var rules = new RulesFile();
        using var process = Start("--port", "0", "--config", rules.Path);
        var line = await process.StandardOutput.ReadLineAsync(Cancel);
        process.Kill();

        Assert.EndsWith(
            ";SharedAccessKeyName=manager;SharedAccessKey=…;UseDevelopmentEmulator=true",
            line,
            StringComparison.Ordinal
        );
        await process.WaitForExitAsync(Cancel);
    }

    [Fact]
    public async Task Healthy_option_returns_an_exit_code()
    {
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        string[] question = ["--healthy", "--port", $"{broker.Broker.Address.Port}", "--listen", "127.0.0.1"];
        // The check times out after 5 s, and the broker in this process may stall for longer.
        await Eventually.TrueAsync(async () => await ExitCodeAsync(question) == 0);

        await broker.DisposeAsync();

        Assert.Equal(1, await ExitCodeAsync(question));
    }

    [Theory]
    [InlineData("--prot", "--prot", "5673")]
    [InlineData("ServiceBus:Port", "--port", "66000")]
    [InlineData("ServiceBus:CertificateFile", "--certificate", "/no/such.pem", "--certificate-key", "/no/such.pem")]
    public async Task Invalid_argument_ends_the_process_with_one_line(string named, params string[] arguments)
    {
        var (exitCode, error) = await FailAsync(Start(arguments));

        Assert.Equal(2, exitCode);
        Assert.Contains(named, Assert.Single(error), StringComparison.Ordinal);
    }

    [Fact]
    public async Task File_in_CONFIG_PATH_is_read_with_a_warning_when_incompatible()
    {
        using var file = new RulesFile(
            """{ "UserConfig": { "Namespaces": [ { "Queues": [ { "Name": "one", "LockDuratoin": "PT1M" } ] } ] } }"""
        );
        using var process = Start(["--port", "0"], configPath: file.Path);
        var line = await process.StandardOutput.ReadLineAsync(Cancel);
        var warnings = new StringBuilder();
        while (!$"{warnings}".Contains("LockDuratoin", StringComparison.Ordinal))
            warnings.AppendLine(await process.StandardError.ReadLineAsync(Cancel) ?? throw new EndOfStreamException());
        process.Kill();

        Assert.StartsWith("Service Bus is listening:", line, StringComparison.Ordinal);
        Assert.Contains(file.Path, $"{warnings}", StringComparison.Ordinal);
        await process.WaitForExitAsync(Cancel);
    }

    private static async Task<(int ExitCode, string[] Error)> FailAsync(Process started)
    {
        using var process = started;
        var output = process.StandardOutput.ReadToEndAsync(Cancel);
        var error = await process.StandardError.ReadToEndAsync(Cancel);
        Assert.Equal("", await output);
        await process.WaitForExitAsync(Cancel);
        return (process.ExitCode, error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    private static async Task<int> ExitCodeAsync(params string[] arguments)
    {
        using var process = Start(arguments);
        await process.WaitForExitAsync(Cancel);
        return process.ExitCode;
    }

    internal static Process Start(params string[] arguments) => Start(arguments, configPath: null);

    private static Process Start(string[] arguments, string? configPath)
    {
        var start = new ProcessStartInfo(
            "dotnet",
            [Path.Combine(AppContext.BaseDirectory, "DroneDelivery.ServiceBus.dll"), .. arguments]
        )
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { ["CONFIG_PATH"] = configPath },
        };
        return Process.Start(start) ?? throw new InvalidOperationException("dotnet did not start.");
    }
}
