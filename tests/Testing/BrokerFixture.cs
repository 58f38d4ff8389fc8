using DroneDelivery.LocalServiceBus;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.Testing;

/// <summary>A broker inside the test's process, on a port of its own. Cheap enough for one per test.</summary>
public sealed class BrokerFixture : IAsyncDisposable
{
    private int _created;

    private static readonly string[] ApplicationQueues = ["delivery-requests", "delivery-requests-failed"];

    private BrokerFixture(LocalServiceBus.LocalServiceBus broker) => Broker = broker;

    public LocalServiceBus.LocalServiceBus Broker { get; }

    public string ConnectionString => Broker.ConnectionString;

    /// <param name="options">The port is free to choose: leave it out and a free one is taken.</param>
    /// <returns>With the queues of the application, unless the options declare others.</returns>
    public static async Task<BrokerFixture> StartAsync(
        LocalServiceBusOptions? options = null,
        CancellationToken cancellationToken = default
    )
    {
        options ??= new LocalServiceBusOptions { Port = 0 };
        foreach (var name in options is { Queues: null, ConfigFile: null } ? ApplicationQueues : [])
            options.QueueNames.Add(name);
        return new(await LocalServiceBus.LocalServiceBus.StartAsync(options, cancellationToken));
    }

    /// <param name="configure">from the service's defaults to what the test needs</param>
    /// <param name="name">null: one that no other queue has</param>
    internal Queue CreateQueue(Func<QueueOptions, QueueOptions>? configure = null, string? name = null)
    {
        var options = new QueueOptions(name ?? $"queue-{Interlocked.Increment(ref _created)}");
        return Broker.Entities.Create(configure?.Invoke(options) ?? options);
    }

    /// <summary>Delays each response to a settlement by a fixed time.</summary>
    internal static Action<Action> DelayBy(TimeSpan delay, TimeProvider clock) =>
        response =>
            _ = Task.Delay(delay, clock)
                .ContinueWith(
                    _ => response(),
                    CancellationToken.None,
                    TaskContinuationOptions.ExecuteSynchronously,
                    TaskScheduler.Default
                );

    /// <summary>May do everything that the broker offers over HTTP.</summary>
    public HttpClient CreateHttpClient()
    {
        var key = Convert.ToBase64String("RootManageSharedAccessKey:SAS_KEY_VALUE"u8);
        return new() { BaseAddress = Broker.Address, DefaultRequestHeaders = { Authorization = new("Basic", key) } };
    }

    public ValueTask DisposeAsync() => Broker.DisposeAsync();
}
