using DroneDelivery.LocalServiceBus;

[assembly: AssemblyFixture(typeof(Bus))]
// The tests wait more than they work.
[assembly: Xunit.v3.Parallelization(MaxThreads = 8)]

namespace DroneDelivery.ServiceBusSdk.Tests.Support;

/// <summary>What the SDK talks to: one local broker for the whole project, or what <c>SERVICEBUS_CONNECTION_STRING</c> names: the
/// official emulator, or a namespace on Azure. The emulator has its management API at another port, which
/// <c>SERVICEBUS_ADMIN_CONNECTION_STRING</c> names.</summary>
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

    /// <summary>For a test that looks into the broker, or does something to it.</summary>
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

/// <summary>A broker whose clock moves only when the test says so: locks, times to live and schedules end by it.</summary>
public class ClockedBus : Bus
{
    // The SDK compares with the machine's clock, which does not stand still: ahead of it no lock has ended in the SDK's eyes.
    public ManualTimeProvider Clock { get; } = new(TimeProvider.System.GetUtcNow().AddHours(1));

    protected override LocalServiceBusOptions Options =>
        new()
        {
            Port = 0,
            Queues = [],
            TimeProvider = Clock,
        };
}

/// <summary>One that answers a settlement only when its clock moves on.</summary>
public sealed class DistantBus : ClockedBus
{
    /// <summary>More than an answer takes.</summary>
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
