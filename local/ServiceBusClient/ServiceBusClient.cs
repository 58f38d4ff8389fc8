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

    public virtual ServiceBusProcessor CreateProcessor(string queueName) => CreateProcessor(queueName, new ServiceBusProcessorOptions());

    public virtual ServiceBusProcessor CreateProcessor(string queueName, ServiceBusProcessorOptions options) =>
        new(_connection, Entity(queueName), options?.Clone() ?? new ServiceBusProcessorOptions());

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
