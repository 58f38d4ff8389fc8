using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>The connection of a <see cref="ServiceBusClient"/>: opened when first needed, opened anew when it broke.</summary>
internal sealed class BusConnection : IAsyncDisposable
{
    private readonly ConnectionString _settings;
    private readonly ServiceBusClientOptions _options;
    private readonly Reopening<AuthorizedConnection> _connection;

    public BusConnection(ConnectionString settings, ServiceBusClientOptions options, string identifier)
    {
        _settings = settings;
        _options = options;
        _connection = new Reopening<AuthorizedConnection>(
            cancellationToken => AuthorizedConnection.OpenAsync(settings, AmqpOptions(identifier), Address, cancellationToken),
            one => one.IsOpen,
            one => one.DisposeAsync().AsTask());
    }

    public ServiceBusRetryOptions RetryOptions => _options.RetryOptions;

    public string FullyQualifiedNamespace => _settings.FullyQualifiedNamespace;

    public TimeProvider Time => _options.TimeProvider;

    public bool IsClosed { get; private set; }

    private Uri Address => _options.CustomEndpointAddress is { } custom
        ? new UriBuilder(custom) { Port = custom.Port > 0 ? custom.Port : _settings.Port }.Uri
        : new UriBuilder(_settings.Endpoint) { Port = _settings.Port }.Uri;

    /// <summary>One for each sender and receiver: what throttles one of them leaves the others alone.</summary>
    public Retries NewRetries() => new(_options.RetryOptions, _options.TimeProvider, _options.Random);

    /// <summary>The open connection, authorized for the entity.</summary>
    public async Task<AmqpConnection> ForEntityAsync(string entityPath, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(IsClosed, typeof(ServiceBusClient));
        var open = await _connection.GetAsync(cancellationToken);
        await open.AuthorizeAsync(entityPath, cancellationToken);
        return open.Amqp;
    }

    public async ValueTask DisposeAsync()
    {
        IsClosed = true;
        await _connection.DisposeAsync();
    }

    private AmqpConnectionOptions AmqpOptions(string identifier) => new()
    {
        ContainerId = identifier,
        HostName = _settings.FullyQualifiedNamespace,
        IdleTimeout = _options.ConnectionIdleTimeout,
        Sasl = SaslClient.ClaimsBased,
        TimeProvider = _options.TimeProvider,
        HandshakeTimeout = _options.RetryOptions.FirstTryTimeout,
        Properties = new() { ["product"] = "DroneDelivery.ServiceBusClient" },
    };
}
