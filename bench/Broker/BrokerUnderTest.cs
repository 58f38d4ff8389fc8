using System.Net.Http.Headers;
using System.Text;
using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>A broker under test, with a process and a port.</summary>
internal sealed record BrokerUnderTest(string Name, int Port, string QueueAddress, ChildProcess Process)
    : IAsyncDisposable
{
    private const string Key = "SAS_KEY_VALUE";
    private const string Rule = "RootManageSharedAccessKey";
    private const string Queue = "delivery-requests"; // Ingestion's name for it

    // AMQP 1.0 §3.5.5: the state that a terminus keeps. RabbitMQ stores the queue of a durable one.
    private const uint UnsettledState = 2;

    private readonly HttpClient _http = new()
    {
        BaseAddress = new Uri($"http://127.0.0.1:{Port}/"),
        DefaultRequestHeaders =
        {
            Authorization = new AuthenticationHeaderValue(
                "Basic",
                Convert.ToBase64String(Encoding.UTF8.GetBytes($"{Rule}:{Key}"))
            ),
        },
    };

    /// <summary>The data folder, if any.</summary>
    public string? Home { get; init; }

    public SaslClient Login { get; init; } = SaslClient.Plain(Rule, Key);

    public IBrokerClient Client { get; init; } = new AmqpClient();

    /// <summary>Whether it responds to settlements in receiver-settle-mode second, which RabbitMQ rejects.</summary>
    public bool IsServiceBus { get; init; }

    /// <summary>Whether the queue and messages survive a restart of the broker.</summary>
    public bool IsDurable { get; init; }

    /// <summary>The connection string of the local Service Bus.</summary>
    public string ConnectionString =>
        $"Endpoint=sb://127.0.0.1:{Port};SharedAccessKeyName={Rule};SharedAccessKey={Key};UseDevelopmentEmulator=true";

    private uint? Durability => IsDurable ? UnsettledState : null;

    /// <param name="program">The DLL, or <c>null</c> for this build's.</param>
    /// <param name="name">The name in the report.</param>
    /// <param name="isOnDisk">Whether it writes to disk before it acknowledges.</param>
    public static async Task<BrokerUnderTest> StartLocalServiceBusAsync(
        string? program = null,
        string name = "Local Service Bus",
        bool isOnDisk = false
    )
    {
        var port = ChildProcess.FreePort();
        var home = isOnDisk ? Directory.CreateTempSubdirectory("bench-broker-").FullName : null;
        string[] data = home is null ? [] : ["--data", home];
        var process = ChildProcess.StartDotnet(
            [program ?? ChildProcess.OwnProgram("ServiceBus"), .. data],
            ("ServiceBus__Port", $"{port}")
        );
        var broker = new BrokerUnderTest(name, port, Queue, process)
        {
            Home = home,
            IsServiceBus = true,
            IsDurable = isOnDisk,
        };
        await broker.UntilReachableAsync();
        await broker.CreateQueueAsync(Queue);
        return broker;
    }

    /// <summary>Waits until a client can connect; on a timeout, disposes the broker.</summary>
    public async Task UntilReachableAsync()
    {
        try
        {
            await ChildProcess.UntilReachable(Port);
        }
        catch
        {
            await DisposeAsync();
            throw;
        }
    }

    public Task<AmqpConnection> ConnectAsync() =>
        AmqpDialer.ConnectAsync("127.0.0.1", Port, Login, new AmqpConnectionOptions(), CancellationToken.None);

    public async Task<SenderLink> AttachSenderAsync(AmqpSession session, ILinkHandler handler)
    {
        var attach = new Attach
        {
            Name = $"send-{Guid.NewGuid():N}",
            Source = new Source(),
            Target = new Target { Address = QueueAddress, Durable = Durability },
        };
        return await session.AttachSenderAsync(attach, handler, CancellationToken.None);
    }

    /// <param name="session">A session with this broker.</param>
    /// <param name="handler">Receives the messages once the link has credit.</param>
    /// <param name="isAnswered">Whether the broker responds to settlements.</param>
    public async Task<ReceiverLink> AttachReceiverAsync(
        AmqpSession session,
        ILinkHandler handler,
        bool isAnswered = false
    )
    {
        var attach = new Attach
        {
            Name = $"receive-{Guid.NewGuid():N}",
            RcvSettleMode = isAnswered && IsServiceBus ? ReceiverSettleMode.Second : null,
            Source = new Source { Address = QueueAddress, Durable = Durability },
            Target = new Target(),
        };
        return await session.AttachReceiverAsync(attach, handler, CancellationToken.None);
    }

    /// <param name="properties">The properties in the management API's XML, or an empty string for the defaults.</param>
    public async Task CreateQueueAsync(string name, string properties = "")
    {
        var entry = $"""
            <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><QueueDescription
             xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">{properties}</QueueDescription></content></entry>
            """;
        using var body = new StringContent(entry, Encoding.UTF8, "application/atom+xml");
        using var answer = await _http.PutAsync(new Uri(name, UriKind.Relative), body);
        answer.EnsureSuccessStatusCode();
    }

    /// <summary>Deletes the messages of the local Service Bus.</summary>
    public async Task PurgeAsync()
    {
        using var answer = await _http.PostAsync(new Uri($"{QueueAddress}/$purge", UriKind.Relative), content: null);
        answer.EnsureSuccessStatusCode();
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await Process.DisposeAsync();
        if (Home is not null)
            Directory.Delete(Home, recursive: true);
    }
}
