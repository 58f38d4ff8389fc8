using System.Globalization;
using System.Net.Http.Headers;
using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>A broker under test: a process with a port of its own.</summary>
internal sealed record BrokerUnderTest(
    string Name,
    int Port,
    string QueueAddress,
    ChildProcess Process,
    string? Home = null
) : IAsyncDisposable
{
    private const string Key = "SAS_KEY_VALUE";
    private const string Rule = "RootManageSharedAccessKey";
    private const string Queue = "delivery-requests"; // as Ingestion calls it
    private const string AllocatedMetric = "dotnet_gc_heap_total_allocated_bytes_total ";

    // AMQP 1.0 §3.5.5: what a terminus keeps. RabbitMQ stores the queue of a durable one.
    private const uint UnsettledState = 2;

    /// <summary>How clients log in.</summary>
    public SaslClient Login { get; init; } = SaslClient.Plain(Rule, Key);

    /// <summary>Speaks its protocol.</summary>
    public IBrokerClient Client { get; init; } = new AmqpClient();

    /// <summary>What its load has that the others' has not; null: nothing.</summary>
    public string? Difference { get; init; }

    public bool IsServiceBus { get; init; }

    /// <summary>Queue and messages are to outlive the broker.</summary>
    public bool IsDurable { get; init; }

    /// <summary>Where links receive from.</summary>
    public Source Source => new() { Address = QueueAddress, Durable = Durability };

    /// <summary>Where links send to.</summary>
    public Target Target => new() { Address = QueueAddress, Durable = Durability };

    /// <summary>Of the local Service Bus.</summary>
    public string ConnectionString =>
        $"Endpoint=sb://127.0.0.1:{Port};SharedAccessKeyName={Rule};SharedAccessKey={Key};UseDevelopmentEmulator=true";

    private uint? Durability => IsDurable ? UnsettledState : null;

    /// <summary>Of the local Service Bus.</summary>
    /// <param name="environment">Null: the runtime's own settings.</param>
    public static Task<BrokerUnderTest> StartLocalServiceBus(Dictionary<string, string>? environment = null) =>
        StartLocalServiceBus("Local Service Bus", port =>
            ChildProcess.StartOwn("ServiceBus", [], Settings(port, environment))
        );

    /// <summary>The same with a data folder: what it acknowledges and answers is on the disk.</summary>
    public static async Task<BrokerUnderTest> StartOnDisk(Dictionary<string, string> environment)
    {
        var home = Directory.CreateTempSubdirectory("bench-broker-").FullName;
        var broker = await StartLocalServiceBus("Local Service Bus on disk", port =>
            ChildProcess.StartOwn("ServiceBus", ["--data", home], Settings(port, environment))
        );
        return broker with { Home = home, IsDurable = true };
    }

    /// <summary>The local Service Bus of another build, to see what a change costs.</summary>
    public static Task<BrokerUnderTest> StartLocalServiceBus(
        string name,
        string assembly,
        Dictionary<string, string>? environment = null
    ) => StartLocalServiceBus(name, port => ChildProcess.Start("dotnet", [assembly], Settings(port, environment)));

    /// <summary>Drops the messages of the local Service Bus, which nobody receives.</summary>
    public async Task PurgeAsync()
    {
        using var http = new HttpClient();
        http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue(
            "Basic",
            Convert.ToBase64String(System.Text.Encoding.UTF8.GetBytes($"{Rule}:{Key}"))
        );
        using var answer = await http.PostAsync(
            new Uri($"http://127.0.0.1:{Port}/{QueueAddress}/$purge"),
            content: null
        );
        answer.EnsureSuccessStatusCode();
    }

    /// <summary>What the local Service Bus has allocated since its start, garbage included; null: it does not say, as no other broker
    /// does.</summary>
    public async Task<double?> AllocatedBytesAsync()
    {
        if (!IsServiceBus)
            return null;
        using var http = new HttpClient();
        var metrics = await http.GetStringAsync(new Uri($"http://127.0.0.1:{Port}/metrics"));
        var line = metrics
            .Split('\n')
            .FirstOrDefault(line => line.StartsWith(AllocatedMetric, StringComparison.Ordinal));
        return line is null ? null : double.Parse(line[AllocatedMetric.Length..], CultureInfo.InvariantCulture);
    }

    /// <summary>This broker, when a client can connect. If it does not come up in time, nothing of it stays.</summary>
    public async Task<BrokerUnderTest> WhenReachable(TimeSpan patience)
    {
        try
        {
            await ChildProcess.UntilReachable(Port, patience);
            return this;
        }
        catch
        {
            await DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await Process.DisposeAsync();
        if (Home is not null)
            Directory.Delete(Home, recursive: true);
    }

    private static async Task<BrokerUnderTest> StartLocalServiceBus(string name, Func<int, ChildProcess> start)
    {
        var port = ChildProcess.FreePort();
        var broker = await new BrokerUnderTest(name, port, Queue, start(port)) { IsServiceBus = true }.WhenReachable(
            TimeSpan.FromSeconds(30)
        );
        await broker.CreateQueueAsync(broker.QueueAddress);
        return broker;
    }

    private static Dictionary<string, string> Settings(int port, Dictionary<string, string>? environment) =>
        new(environment ?? []) { ["ServiceBus__Port"] = $"{port}" };
}
