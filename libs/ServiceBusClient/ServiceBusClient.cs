using Azure.Core;

namespace Azure.Messaging.ServiceBus;

/// <summary>
/// One connection to a broker, opened when first needed and shared by all senders, receivers and processors made here.
/// </summary>
public class ServiceBusClient : IAsyncDisposable
{
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
        ArgumentNullException.ThrowIfNull(options);
        FullyQualifiedNamespace = ConnectionString.Parse(connectionString).FullyQualifiedNamespace;
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

    public virtual bool IsClosed { get; }

    public virtual ServiceBusSender CreateSender(string queueOrTopicName) => throw new NotImplementedException();

    public virtual ServiceBusSender CreateSender(string queueOrTopicName, ServiceBusSenderOptions options) => throw new NotImplementedException();

    public virtual ServiceBusReceiver CreateReceiver(string queueName) => throw new NotImplementedException();

    public virtual ServiceBusReceiver CreateReceiver(string queueName, ServiceBusReceiverOptions options) => throw new NotImplementedException();

    public virtual ServiceBusProcessor CreateProcessor(string queueName) => throw new NotImplementedException();

    public virtual ServiceBusProcessor CreateProcessor(string queueName, ServiceBusProcessorOptions options) => throw new NotImplementedException();

    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return default;
    }

    internal static NotSupportedException OnlyWithTheAzureSdk(string fullyQualifiedNamespace) => new(
        $"This build talks to local brokers with a connection string. To reach '{fullyQualifiedNamespace}' with a token credential, build with -p:AzureSdk=true.");
}
