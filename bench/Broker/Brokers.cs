using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>A broker under test: a process that speaks AMQP 1.0 on a port of its own.</summary>
internal sealed record BrokerUnderTest(
    string Name, int Port, string QueueAddress, ChildProcess Process, string? Home = null) : IAsyncDisposable
{
    /// <summary>How clients log in.</summary>
    public SaslClient Login { get; init; } = SaslClient.Plain("RootManageSharedAccessKey", "SAS_KEY_VALUE");

    /// <summary>Of the local Service Bus.</summary>
    public string ConnectionString => $"Endpoint=sb://127.0.0.1:{Port};SharedAccessKeyName=RootManageSharedAccessKey;"
        + "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true";

    /// <summary>Drops the messages of the local Service Bus, which nobody receives.</summary>
    public async Task PurgeAsync()
    {
        using var http = new HttpClient();
        http.DefaultRequestHeaders.Authorization = new("Basic", Convert.ToBase64String("RootManageSharedAccessKey:SAS_KEY_VALUE"u8));
        using var answer = await http.PostAsync(new Uri($"http://127.0.0.1:{Port}/{QueueAddress}/$purge"), content: null);
        answer.EnsureSuccessStatusCode();
    }

    /// <param name="environment">Null: the runtime's own settings.</param>
    public static Task<BrokerUnderTest> StartLocalServiceBus(Dictionary<string, string>? environment = null) =>
        StartLocalServiceBus("Local Service Bus", port => ChildProcess.StartOwn("ServiceBus", [], Settings(port, environment)));

    /// <summary>The same with a data folder: what it acknowledges and answers is on the disk.</summary>
    public static async Task<BrokerUnderTest> StartOnDisk()
    {
        var home = Directory.CreateTempSubdirectory("bench-broker-").FullName;
        var broker = await StartLocalServiceBus(
            "on disk", port => ChildProcess.StartOwn("ServiceBus", ["--data", home], Settings(port)));
        return broker with { Home = home };
    }

    /// <summary>The local Service Bus of another build, to see what a change costs.</summary>
    public static Task<BrokerUnderTest> StartLocalServiceBus(string name, string assembly) =>
        StartLocalServiceBus(name, port => ChildProcess.Start("dotnet", [assembly], Settings(port)));

    private static async Task<BrokerUnderTest> StartLocalServiceBus(string name, Func<int, ChildProcess> start)
    {
        var port = ChildProcess.FreePort();
        var process = start(port);
        await ChildProcess.UntilReachable(port, TimeSpan.FromSeconds(30));
        return new(name, port, "delivery-requests", process);
    }

    private static Dictionary<string, string> Settings(int port, Dictionary<string, string>? environment = null) =>
        new(environment ?? []) { ["ServiceBus__Port"] = $"{port}" };

    /// <summary>RabbitMQ with its AMQP 1.0 plugin, as Debian packages it; node name, ports and folders of its own.</summary>
    public static async Task<BrokerUnderTest> StartRabbitMq()
    {
        const string server = "/usr/lib/rabbitmq/bin/rabbitmq-server";
        if (!File.Exists(server))
        {
            throw new FileNotFoundException(
                $"{server} is missing: apt-get install rabbitmq-server, or leave RabbitMQ out with --without-rabbitmq.");
        }
        var port = ChildProcess.FreePort();
        var home = Directory.CreateTempSubdirectory("bench-rabbitmq-").FullName;
        await File.WriteAllTextAsync(Path.Combine(home, "enabled_plugins"), "[rabbitmq_amqp1_0].");
        await File.WriteAllTextAsync(
            Path.Combine(home, "rabbitmq.conf"), $"listeners.tcp.1 = 127.0.0.1:{port}\namqp1_0.default_user = guest\n");
        var process = ChildProcess.Start(server, [], new Dictionary<string, string>
        {
            ["HOME"] = home,
            ["RABBITMQ_NODENAME"] = "drone-bench@localhost",
            ["RABBITMQ_MNESIA_BASE"] = Path.Combine(home, "mnesia"),
            ["RABBITMQ_LOG_BASE"] = Path.Combine(home, "log"),
            ["RABBITMQ_ENABLED_PLUGINS_FILE"] = Path.Combine(home, "enabled_plugins"),
            ["RABBITMQ_CONFIG_FILE"] = Path.Combine(home, "rabbitmq.conf"),
            ["RABBITMQ_DIST_PORT"] = $"{ChildProcess.FreePort()}",
            ["ERL_EPMD_PORT"] = $"{ChildProcess.FreePort()}",
            ["ERL_EPMD_ADDRESS"] = "127.0.0.1",
        });
        await ChildProcess.UntilReachable(port, TimeSpan.FromSeconds(60));
        return new("RabbitMQ AMQP 1.0", port, "/queue/bench", process, home) { Login = SaslClient.Anonymous };
    }

    public async ValueTask DisposeAsync()
    {
        await Process.DisposeAsync();
        if (Home is not null)
            Directory.Delete(Home, recursive: true);
    }
}
