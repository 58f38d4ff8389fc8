namespace DroneDelivery.ServiceBusSdk.Tests.Support;

/// <summary>A test with a client of its own. What it creates has names that no other test has.</summary>
public abstract class BusTest : IAsyncDisposable
{
    private readonly List<IAsyncDisposable> _owned = [];
    private readonly List<Func<Task>> _created = [];

    protected BusTest(Bus bus)
    {
        if (bus is ClockedBus)
            Bus.SkipUnlessLocal();
        TheBus = bus;
        Client = NewClient();
        Admin = new ServiceBusAdministrationClient(bus.AdminConnectionString);
    }

    /// <summary>Patience enough for every machine: only a test that fails waits for it.</summary>
    protected static TimeSpan Patience { get; } = TimeSpan.FromSeconds(60);

    protected static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    protected Bus TheBus { get; }

    protected ServiceBusClient Client { get; }

    protected ServiceBusAdministrationClient Admin { get; }

    public async ValueTask DisposeAsync()
    {
        foreach (var one in Enumerable.Reverse(_owned))
            await one.DisposeAsync();
        foreach (var delete in Bus.IsLocal ? [] : _created)
            await UnlessGoneAsync(delete);
        GC.SuppressFinalize(this);
    }

    // The test may have deleted it itself.
    private static async Task UnlessGoneAsync(Func<Task> delete)
    {
        try
        {
            await delete();
        }
        catch (ServiceBusException error) when (error.Reason == ServiceBusFailureReason.MessagingEntityNotFound) { }
    }

    protected T Owned<T>(T one)
        where T : IAsyncDisposable
    {
        _owned.Add(one);
        return one;
    }

    protected ServiceBusClient NewClient(Action<ServiceBusClientOptions>? configure = null)
    {
        var options = new ServiceBusClientOptions
        {
            RetryOptions =
            {
                Delay = TimeSpan.FromMilliseconds(50),
                MaxDelay = TimeSpan.FromMilliseconds(200),
                MaxRetries = 2,
            },
        };
        configure?.Invoke(options);
        return Owned(new ServiceBusClient(TheBus.ConnectionString, options));
    }

    protected static string NewName(string kind) => $"{kind}-{Guid.NewGuid():N}";

    /// <returns>Its name.</returns>
    protected async Task<string> CreateQueueAsync(Action<CreateQueueOptions>? configure = null)
    {
        var options = new CreateQueueOptions(NewName("queue"));
        configure?.Invoke(options);
        await Admin.CreateQueueAsync(options, Cancelled);
        _created.Add(() => Admin.DeleteQueueAsync(options.Name));
        return options.Name;
    }

    protected Task<string> CreateSessionQueueAsync(TimeSpan? lockDuration = null) =>
        CreateQueueAsync(options =>
        {
            options.RequiresSession = true;
            options.LockDuration = lockDuration ?? TimeSpan.FromMinutes(1);
        });

    /// <returns>Its name.</returns>
    protected async Task<string> CreateTopicAsync(params string[] subscriptions)
    {
        var topic = NewName("topic");
        await Admin.CreateTopicAsync(topic, Cancelled);
        _created.Add(() => Admin.DeleteTopicAsync(topic));
        foreach (var subscription in subscriptions)
            await Admin.CreateSubscriptionAsync(topic, subscription, Cancelled);
        return topic;
    }

    protected Task SendAsync(string entity, params IEnumerable<ServiceBusMessage> messages) =>
        Client.CreateSender(entity).SendMessagesAsync(messages, Cancelled);

    /// <summary>Messages "1", "2", ….</summary>
    protected Task SendAsync(string entity, int count) =>
        SendAsync(
            entity,
            Enumerable.Range(1, count).Select(number => new ServiceBusMessage($"{number}") { MessageId = $"{number}" })
        );

    protected Task SendToSessionAsync(string queue, string sessionId, params string[] bodies) =>
        SendAsync(queue, bodies.Select(body => new ServiceBusMessage(body) { SessionId = sessionId }));

    protected ServiceBusReceiver Receiver(string queue, SubQueue subQueue = SubQueue.None) =>
        Client.CreateReceiver(queue, new ServiceBusReceiverOptions { SubQueue = subQueue });

    protected ServiceBusReceiver DeadLetters(string queue) => Receiver(queue, SubQueue.DeadLetter);

    protected static async Task<ServiceBusReceivedMessage> OneAsync(ServiceBusReceiver receiver)
    {
        var message = await receiver.ReceiveMessageAsync(Patience, Cancelled);
        Assert.True(message is not null, "No message came.");
        return message;
    }

    /// <summary>The SDK gives what it has a moment after the first message, and the others when it is asked again.</summary>
    /// <returns>In the order of their numbers: what comes between two receives goes back, and may come behind later ones.</returns>
    protected static async Task<List<ServiceBusReceivedMessage>> ManyAsync(ServiceBusReceiver receiver, int count)
    {
        var received = new List<ServiceBusReceivedMessage>();
        while (received.Count < count)
        {
            var some = await receiver.ReceiveMessagesAsync(count - received.Count, Patience, Cancelled);
            Assert.True(some.Count > 0, $"{received.Count} messages came in place of {count}.");
            received.AddRange(some);
        }
        return [.. received.OrderBy(message => message.SequenceNumber)];
    }

    protected static IEnumerable<string> Bodies(IEnumerable<ServiceBusReceivedMessage> messages) =>
        messages.Select(message => message.Body.ToString());

    protected static async Task<ServiceBusException> FailsAsync(ServiceBusFailureReason reason, Func<Task> operation)
    {
        var error = await Assert.ThrowsAsync<ServiceBusException>(operation);
        Assert.Equal(reason, error.Reason);
        return error;
    }
}
