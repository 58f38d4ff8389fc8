using DroneDelivery.LocalServiceBus;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.Testing;

/// <summary>A broker inside the test's process on its own port. It is cheap enough for one per test.</summary>
public sealed class BrokerFixture : IAsyncDisposable
{
    private int _created;

    private static readonly string[] ApplicationQueues = ["delivery-requests", "delivery-requests-failed"];

    private BrokerFixture(LocalServiceBus.LocalServiceBus broker) => Broker = broker;

    public LocalServiceBus.LocalServiceBus Broker { get; }

    public string ConnectionString => Broker.ConnectionString;

    /// <param name="options">The options. Omit the port to use an available one.</param>
    /// <returns>A broker with the queues of the application, unless the options declare others.</returns>
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

    /// <param name="configure">Changes the service's default options.</param>
    /// <param name="name">The name of the queue; <c>null</c> for a unique one.</param>
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

    public HttpClient CreateHttpClient()
    {
        var key = Convert.ToBase64String("RootManageSharedAccessKey:SAS_KEY_VALUE"u8);
        return new() { BaseAddress = Broker.Address, DefaultRequestHeaders = { Authorization = new("Basic", key) } };
    }

    public ValueTask DisposeAsync() => Broker.DisposeAsync();
}
