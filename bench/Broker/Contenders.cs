namespace DroneDelivery.Bench.Broker;

/// <summary>The local Service Bus and what it is compared with.</summary>
internal sealed class Contenders : IAsyncDisposable
{
    /// <summary>Loads before the first measured one: a compiler that still works takes the broker's CPU.</summary>
    public const int RoundsToCompile = 3;

    private readonly List<BrokerUnderTest> _all = [];

    public IReadOnlyList<BrokerUnderTest> All => _all;

    /// <param name="isOnDisk">All keep their messages on disk; the local Service Bus is also measured in memory.</param>
    /// <param name="otherBuild">Instead of other brokers; null: none.</param>
    /// <param name="sdk">Measured with a local Service Bus of its own; null: left out.</param>
    /// <param name="withRabbit">RabbitMQ takes part.</param>
    public async Task StartAsync(bool isOnDisk, FileInfo? otherBuild, SdkClient? sdk, bool withRabbit)
    {
        var environment = ServiceSettings.With();
        if (isOnDisk)
            _all.Add(await BrokerUnderTest.StartOnDisk(environment));
        _all.Add(await BrokerUnderTest.StartLocalServiceBus(environment));
        if (otherBuild is not null)
        {
            _all.Add(await BrokerUnderTest.StartLocalServiceBus("the other build", otherBuild.FullName, environment));
            return;
        }
        if (sdk is not null)
        {
            var broker = await (
                isOnDisk ? BrokerUnderTest.StartOnDisk(environment) : BrokerUnderTest.StartLocalServiceBus(environment)
            );
            var name = isOnDisk ? "SDK on the local Service Bus on disk" : "SDK on the local Service Bus";
            _all.Add(broker with { Name = name, Client = sdk, Difference = sdk.Difference });
        }
        if (!withRabbit)
            return;
        if (File.Exists(RabbitMq.Server))
        {
            _all.Add(await RabbitMq.Start(isOnDisk));
            return;
        }
        Console.WriteLine(
            $"Without {RabbitMq.Server}, which is missing: apt-get install --no-install-recommends rabbitmq-server"
        );
    }

    /// <summary>Another one begins each time, so that being first favors none.</summary>
    public static IEnumerable<BrokerUnderTest> InTurn(IReadOnlyList<BrokerUnderTest> brokers, int repetition) =>
        brokers.Select((_, turn) => brokers[(repetition + turn) % brokers.Count]);

    /// <summary>Each broker on a line, and the first one compared with it.</summary>
    public static void Print(string load, IReadOnlyList<(BrokerUnderTest Broker, Figures Figures)> measured)
    {
        Console.WriteLine(load);
        var first = measured[0].Figures;
        foreach (var (broker, figures) in measured)
        {
            var ratio = figures == first ? "" : $"; {measured[0].Broker.Name} has {first.ComparedWith(figures)}";
            Console.WriteLine($"  {broker.Name, -36} {figures.Show()}{ratio}");
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var broker in _all)
            await broker.DisposeAsync();
    }
}
