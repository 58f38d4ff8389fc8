using System.Net.Http.Json;
using System.Text.Json;
using DroneDelivery.LocalServiceBus;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Support;

/// <summary>A test against a broker of its own, with a client of its own.</summary>
public abstract class BusTest : IAsyncLifetime
{
    private static readonly HttpClient Http = new();
    private readonly List<IAsyncDisposable> _owned = [];

    /// <summary>Patience enough for every machine: only a test that fails waits for it.</summary>
    protected static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    protected static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    protected BrokerFixture Broker { get; private set; } = null!;

    protected ServiceBusClient Client { get; private set; } = null!;

    /// <summary>Clock of the broker and of <see cref="Client"/>.</summary>
    protected virtual TimeProvider Time => TimeProvider.System;

    public async ValueTask InitializeAsync()
    {
        Broker = await BrokerFixture.StartAsync(new LocalServiceBusOptions { Port = 0, TimeProvider = Time }, Cancelled);
        Client = NewClient();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var one in Enumerable.Reverse(_owned))
            await one.DisposeAsync();
        await Broker.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    protected T Owned<T>(T one) where T : IAsyncDisposable
    {
        _owned.Add(one);
        return one;
    }

    /// <summary>Retries fast, and so often that a broker in the same process is back before the last time.</summary>
    protected ServiceBusClient NewClient(Action<ServiceBusClientOptions>? configure = null)
    {
        var options = new ServiceBusClientOptions
        {
            TimeProvider = Time,
            RetryOptions = { Delay = TimeSpan.FromMilliseconds(20), MaxDelay = TimeSpan.FromMilliseconds(200), MaxRetries = 100 },
        };
        configure?.Invoke(options);
        return Owned(new ServiceBusClient(Broker.ConnectionString, options));
    }

    protected ServiceBusSender Sender(Queue queue) => Owned(Client.CreateSender(queue.Name));

    protected ServiceBusReceiver Receiver(Queue queue, ServiceBusReceiverOptions? options = null) =>
        Owned(Client.CreateReceiver(queue.Name, options ?? new ServiceBusReceiverOptions()));

    protected async Task SendAsync(Queue queue, int count)
    {
        await using var sender = Client.CreateSender(queue.Name);
        var messages = Enumerable.Range(1, count).Select(number => new ServiceBusMessage($"{number}") { MessageId = $"{number}" });
        await sender.SendMessagesAsync(messages, Cancelled);
    }

    protected Queue CreateSessionQueue(Func<QueueOptions, QueueOptions>? configure = null) => Broker.CreateQueue(
        options => (configure?.Invoke(options) ?? options) with { RequiresSession = true });

    /// <summary>A message of one session for each body.</summary>
    protected async Task SendToSessionAsync(Queue queue, string sessionId, params string[] bodies)
    {
        await using var sender = Client.CreateSender(queue.Name);
        await sender.SendMessagesAsync(bodies.Select(body => new ServiceBusMessage(body) { SessionId = sessionId }), Cancelled);
    }

    protected static async Task<ServiceBusReceivedMessage> OneAsync(ServiceBusReceiver receiver) =>
        await receiver.ReceiveMessageAsync(Patience, Cancelled) ?? throw new TimeoutException("No message came.");

    /// <summary>So many and no more; the broker counts a message after it has sent it, when the receiver may have it already.</summary>
    protected static async Task HandedOutAsync(Queue queue, int count)
    {
        await Eventually.HoldsAsync(() => queue.Counts().Outgoing >= count);
        Assert.Equal(count, queue.Counts().Outgoing);
    }

    /// <summary>The queue's part of what the broker counts, links included.</summary>
    protected async Task<JsonElement> CountersAsync(Queue queue)
    {
        var all = await Http.GetFromJsonAsync<JsonElement>(new Uri(Broker.Broker.Address, "/$counters"), Cancelled);
        return all.GetProperty("queues").GetProperty(queue.Name);
    }

    protected async Task<int> ConnectionsAsync()
    {
        var all = await Http.GetFromJsonAsync<JsonElement>(new Uri(Broker.Broker.Address, "/$counters"), Cancelled);
        return all.GetProperty("connections").GetInt32();
    }
}
