using Azure.Core;

namespace Azure.Messaging.ServiceBus;

/// <summary>
/// One connection to a broker, opened when first needed and shared by all senders, receivers and processors made here.
/// </summary>
public class ServiceBusClient : IAsyncDisposable
{
    private readonly ConnectionString _settings = null!;
    private readonly BusConnection _connection = null!;

    /// <summary>For fakes in tests.</summary>
    protected ServiceBusClient()
    {
    }

    /// <exception cref="FormatException">The connection string is malformed.</exception>
    /// <exception cref="ArgumentException">The connection string misses a part.</exception>
    public ServiceBusClient(string connectionString)
        : this(connectionString, new ServiceBusClientOptions())
    {
    }

    /// <exception cref="FormatException">The connection string is malformed.</exception>
    /// <exception cref="ArgumentException">The connection string misses a part.</exception>
    public ServiceBusClient(string connectionString, ServiceBusClientOptions options)
    {
        _settings = ConnectionString.Parse(connectionString);
        options = options?.Clone() ?? new ServiceBusClientOptions();
        FullyQualifiedNamespace = _settings.FullyQualifiedNamespace;
        Identifier = options.Identifier ?? $"{FullyQualifiedNamespace}-{Guid.NewGuid()}";
        _connection = new BusConnection(_settings, options, Identifier);
    }

    /// <exception cref="NotSupportedException">Always: tokens of Microsoft Entra ID need the build with the Azure SDK.</exception>
    public ServiceBusClient(string fullyQualifiedNamespace, TokenCredential credential)
        : this(fullyQualifiedNamespace, credential, new ServiceBusClientOptions())
    {
    }

    /// <exception cref="NotSupportedException">Always: tokens of Microsoft Entra ID need the build with the Azure SDK.</exception>
    public ServiceBusClient(string fullyQualifiedNamespace, TokenCredential credential, ServiceBusClientOptions options) =>
        throw OnlyWithTheAzureSdk(fullyQualifiedNamespace);

    public virtual string FullyQualifiedNamespace { get; } = "";

    public virtual string Identifier { get; } = "";

    public virtual bool IsClosed { get; private set; }

    public virtual ServiceBusSender CreateSender(string queueOrTopicName) => CreateSender(queueOrTopicName, new ServiceBusSenderOptions());

    public virtual ServiceBusSender CreateSender(string queueOrTopicName, ServiceBusSenderOptions options) =>
        new(_connection, Entity(queueOrTopicName), options ?? new ServiceBusSenderOptions());

    public virtual ServiceBusReceiver CreateReceiver(string queueName) => CreateReceiver(queueName, new ServiceBusReceiverOptions());

    public virtual ServiceBusReceiver CreateReceiver(string queueName, ServiceBusReceiverOptions options) =>
        new(_connection, Entity(queueName), options ?? new ServiceBusReceiverOptions());

    public virtual ServiceBusReceiver CreateReceiver(string topicName, string subscriptionName) =>
        CreateReceiver(topicName, subscriptionName, new ServiceBusReceiverOptions());

    public virtual ServiceBusReceiver CreateReceiver(string topicName, string subscriptionName, ServiceBusReceiverOptions options) =>
        new(_connection, Subscription(topicName, subscriptionName), options ?? new ServiceBusReceiverOptions());

    public virtual ServiceBusProcessor CreateProcessor(string queueName) => CreateProcessor(queueName, new ServiceBusProcessorOptions());

    public virtual ServiceBusProcessor CreateProcessor(string queueName, ServiceBusProcessorOptions options) =>
        new(_connection, Entity(queueName), options?.Clone() ?? new ServiceBusProcessorOptions());

    public virtual ServiceBusProcessor CreateProcessor(string topicName, string subscriptionName) =>
        CreateProcessor(topicName, subscriptionName, new ServiceBusProcessorOptions());

    public virtual ServiceBusProcessor CreateProcessor(string topicName, string subscriptionName, ServiceBusProcessorOptions options) =>
        new(_connection, Subscription(topicName, subscriptionName), options?.Clone() ?? new ServiceBusProcessorOptions());

    /// <summary>The rules of a subscription, for those who may receive from it; the administration client needs more rights.</summary>
    public virtual ServiceBusRuleManager CreateRuleManager(string topicName, string subscriptionName) =>
        new(_connection, Subscription(topicName, subscriptionName));

    /// <summary>Takes the next session of a queue that has messages and no receiver.</summary>
    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.ServiceTimeout"/>: there was none in all tries.</exception>
    public virtual async Task<ServiceBusSessionReceiver> AcceptNextSessionAsync(
        string queueName, ServiceBusSessionReceiverOptions? options = null, CancellationToken cancellationToken = default) =>
        await AcceptAsync(Entity(queueName), sessionId: null, options, cancellationToken);

    /// <summary>Takes a session of a queue, be there messages or not.</summary>
    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.SessionCannotBeLocked"/>: another receiver has
    /// it.</exception>
    public virtual async Task<ServiceBusSessionReceiver> AcceptSessionAsync(
        string queueName,
        string sessionId,
        ServiceBusSessionReceiverOptions? options = null,
        CancellationToken cancellationToken = default) =>
        await AcceptAsync(Entity(queueName), sessionId, options, cancellationToken);

    /// <inheritdoc cref="AcceptNextSessionAsync(string, ServiceBusSessionReceiverOptions, CancellationToken)"/>
    public virtual async Task<ServiceBusSessionReceiver> AcceptNextSessionAsync(
        string topicName,
        string subscriptionName,
        ServiceBusSessionReceiverOptions? options = null,
        CancellationToken cancellationToken = default) =>
        await AcceptAsync(Subscription(topicName, subscriptionName), sessionId: null, options, cancellationToken);

    /// <inheritdoc cref="AcceptSessionAsync(string, string, ServiceBusSessionReceiverOptions, CancellationToken)"/>
    public virtual async Task<ServiceBusSessionReceiver> AcceptSessionAsync(
        string topicName,
        string subscriptionName,
        string sessionId,
        ServiceBusSessionReceiverOptions? options = null,
        CancellationToken cancellationToken = default) =>
        await AcceptAsync(Subscription(topicName, subscriptionName), sessionId, options, cancellationToken);

    public virtual ServiceBusSessionProcessor CreateSessionProcessor(
        string queueName, ServiceBusSessionProcessorOptions? options = null) =>
        new(_connection, Entity(queueName), options?.Clone() ?? new ServiceBusSessionProcessorOptions());

    public virtual ServiceBusSessionProcessor CreateSessionProcessor(
        string topicName, string subscriptionName, ServiceBusSessionProcessorOptions? options = null) =>
        new(_connection, Subscription(topicName, subscriptionName), options?.Clone() ?? new ServiceBusSessionProcessorOptions());

    /// <summary>Closes the connection, and with it everything that was made here.</summary>
    public virtual async ValueTask DisposeAsync()
    {
        IsClosed = true;
        if (_connection is not null)
            await _connection.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    internal static NotSupportedException OnlyWithTheAzureSdk(string fullyQualifiedNamespace) => new(
        "This build talks to local brokers with a connection string. "
        + $"To reach '{fullyQualifiedNamespace}' with a token credential, build with -p:AzureSdk=true.");

    private Task<ServiceBusSessionReceiver> AcceptAsync(
        string entityPath, string? sessionId, ServiceBusSessionReceiverOptions? options, CancellationToken cancellationToken) =>
        ServiceBusSessionReceiver.AcceptAsync(_connection, entityPath, sessionId, options, isProcessor: false, cancellationToken);

    private string Subscription(string topicName, string subscriptionName) =>
        EntityPaths.Subscription(Entity(topicName), subscriptionName);

    private string Entity(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ObjectDisposedException.ThrowIf(IsClosed, this);
        return _settings.EntityPath is null || string.Equals(_settings.EntityPath, name, StringComparison.OrdinalIgnoreCase)
            ? name
            : throw new ArgumentException(
                $"The connection string is for the entity '{_settings.EntityPath}', not for '{name}'.", nameof(name));
    }
}
