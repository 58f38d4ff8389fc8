namespace DroneDelivery.ServiceBusSdk.Tests.Support;

/// <summary>A test with its own client. Names that it creates are unique.</summary>
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

    /// <summary>Long enough for every machine, because only failing tests wait for it.</summary>
    protected static TimeSpan MaxWait { get; } = TimeSpan.FromSeconds(60);

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

    // The test may have deleted it.
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

    /// <summary>Sends messages with the bodies "1", "2", ….</summary>
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
        var message = await receiver.ReceiveMessageAsync(MaxWait, Cancelled);
        Assert.True(message is not null, "No message was received.");
        return message;
    }

    /// <summary>
    /// Receives until <paramref name="count"/> messages have arrived: the SDK returns the first ones shortly after the
    /// first message.
    /// </summary>
    /// <returns>
    /// The messages by sequence number: a message that arrives between two receives is released and may follow later
    /// ones.
    /// </returns>
    protected static async Task<List<ServiceBusReceivedMessage>> ManyAsync(ServiceBusReceiver receiver, int count)
    {
        var received = new List<ServiceBusReceivedMessage>();
        while (received.Count < count)
        {
            var some = await receiver.ReceiveMessagesAsync(count - received.Count, MaxWait, Cancelled);
            Assert.True(some.Count > 0, $"{received.Count} messages were received instead of {count}.");
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
