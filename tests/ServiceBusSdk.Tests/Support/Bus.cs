using DroneDelivery.LocalServiceBus;

[assembly: AssemblyFixture(typeof(Bus))]
// The tests wait more than they compute.
[assembly: Xunit.v3.Parallelization(MaxThreads = 8)]

namespace DroneDelivery.ServiceBusSdk.Tests.Support;

/// <summary>
/// The broker under test: one local broker for the whole project, or the official emulator or the namespace on Azure
/// that <c>SERVICEBUS_CONNECTION_STRING</c> specifies. The emulator serves its management API on another port, which
/// <c>SERVICEBUS_ADMIN_CONNECTION_STRING</c> specifies.
/// </summary>
public class Bus : IAsyncLifetime
{
    private static readonly string? Given = Environment.GetEnvironmentVariable("SERVICEBUS_CONNECTION_STRING");
    private static readonly string? GivenToAdmin = Environment.GetEnvironmentVariable(
        "SERVICEBUS_ADMIN_CONNECTION_STRING"
    );

    private BrokerFixture? _local;

    public static bool IsLocal => string.IsNullOrEmpty(Given);

    public string ConnectionString => IsLocal ? Local.ConnectionString : Given!;

    public string AdminConnectionString => IsLocal ? ConnectionString : GivenToAdmin ?? Given!;

    /// <summary>The local broker, for tests that inspect or control it.</summary>
    public BrokerFixture Local
    {
        get
        {
            SkipUnlessLocal();
            return _local!;
        }
    }

    protected virtual LocalServiceBusOptions Options => new() { Port = 0, Queues = [] };

    public static void SkipUnlessLocal() =>
        Assert.SkipUnless(IsLocal, "Needs a broker in this process, and its clock or counts.");

    public async ValueTask InitializeAsync()
    {
        if (IsLocal)
            _local = await BrokerFixture.StartAsync(Options);
    }

    public async ValueTask DisposeAsync()
    {
        if (_local is not null)
            await _local.DisposeAsync();
        GC.SuppressFinalize(this);
    }
}

/// <summary>A broker with a manual clock, which controls locks, times to live, and schedules.</summary>
public class ClockedBus : Bus
{
    // The SDK compares times with the system clock, which keeps running. A clock ahead of it keeps the SDK from
    // considering a lock expired.
    public ManualTimeProvider Clock { get; } = new(TimeProvider.System.GetUtcNow().AddHours(1));

    protected override LocalServiceBusOptions Options =>
        new()
        {
            Port = 0,
            Queues = [],
            TimeProvider = Clock,
        };
}

/// <summary>A broker that responds to a settlement only when its clock advances.</summary>
public sealed class DistantBus : ClockedBus
{
    /// <summary>Longer than a response takes.</summary>
    public static readonly TimeSpan RoundTrip = TimeSpan.FromMilliseconds(100);

    protected override LocalServiceBusOptions Options =>
        new()
        {
            Port = 0,
            Queues = [],
            TimeProvider = Clock,
            DelaySettlementResponse = BrokerFixture.DelayBy(RoundTrip / 2, Clock),
        };
}
