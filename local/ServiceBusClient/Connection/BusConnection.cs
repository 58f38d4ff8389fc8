using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>The connection of a <see cref="ServiceBusClient"/>: opened when first needed, opened anew when it broke.</summary>
internal sealed class BusConnection : IAsyncDisposable
{
    private readonly ConnectionString settings;
    private readonly ServiceBusClientOptions options;
    private readonly Reopening<AuthorizedConnection> connection;

    public BusConnection(ConnectionString settings, ServiceBusClientOptions options, string identifier)
    {
        this.settings = settings;
        this.options = options;
        connection = new Reopening<AuthorizedConnection>(
            cancellationToken => AuthorizedConnection.OpenAsync(settings, AmqpOptions(identifier), Address, cancellationToken),
            one => one.IsOpen,
            one => one.DisposeAsync().AsTask());
    }

    public ServiceBusRetryOptions RetryOptions => options.RetryOptions;

    public string FullyQualifiedNamespace => settings.FullyQualifiedNamespace;

    public TimeProvider Time => options.TimeProvider;

    public bool IsClosed { get; private set; }

    private Uri Address => options.CustomEndpointAddress is { } custom
        ? new UriBuilder(custom) { Port = custom.Port > 0 ? custom.Port : settings.Port }.Uri
        : new UriBuilder(settings.Endpoint) { Port = settings.Port }.Uri;

    /// <summary>One for each sender and receiver: what throttles one of them leaves the others alone.</summary>
    public Retries NewRetries() => new(options.RetryOptions, options.TimeProvider, options.Random);

    /// <summary>The open connection, authorized for the entity.</summary>
    public async Task<AmqpConnection> ForEntityAsync(string entityPath, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(IsClosed, typeof(ServiceBusClient));
        var open = await connection.GetAsync(cancellationToken);
        await open.AuthorizeAsync(entityPath, cancellationToken);
        return open.Amqp;
    }

    public async ValueTask DisposeAsync()
    {
        IsClosed = true;
        await connection.DisposeAsync();
    }

    private AmqpConnectionOptions AmqpOptions(string identifier) => new()
    {
        ContainerId = identifier,
        HostName = settings.FullyQualifiedNamespace,
        IdleTimeout = options.ConnectionIdleTimeout,
        Sasl = SaslClient.ClaimsBased,
        TimeProvider = options.TimeProvider,
        HandshakeTimeout = options.RetryOptions.TryTimeout,
        Properties = new() { ["product"] = "DroneDelivery.ServiceBusClient" },
    };
}
