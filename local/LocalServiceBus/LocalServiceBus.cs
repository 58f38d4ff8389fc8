using System.Net.Sockets;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Admin;
using DroneDelivery.LocalServiceBus.Configuration;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Hosting;
using DroneDelivery.LocalServiceBus.Journal;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus;

/// <summary>A local Service Bus broker: AMQP 1.0 and the HTTP management API on one port, in memory and optionally in a
/// data folder. Clients need a token or key. Unless the configuration file declares rules, the key is the official
/// emulator's, which is public.</summary>
public sealed partial class LocalServiceBus : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly AmqpFrontEnd _frontEnd;
    private readonly Certificate? _certificate;
    private readonly AccessRules _rules;

    private LocalServiceBus(WebApplication app, Uri address, Certificate? certificate)
    {
        _app = app;
        _certificate = certificate;
        Address = address;
        _rules = app.Services.GetRequiredService<AccessRules>();
        Entities = app.Services.GetRequiredService<ServiceBusNamespace>();
        _frontEnd = app.Services.GetRequiredService<AmqpFrontEnd>();
    }

    /// <summary>The address of the HTTP management API. AMQP uses the same host and port.</summary>
    public Uri Address { get; }

    /// <summary>The connection string with the key of the rule that has the most permissions.</summary>
    public string ConnectionString => ConnectionStringWith(_rules.Default.Key);

    /// <summary>The connection string for logs, without the key unless that is the well-known one.</summary>
    public string PrintableConnectionString =>
        ConnectionStringWith(_rules.Default.IsWellKnown ? _rules.Default.Key : "…");

    /// <summary>The PEM file with the certificate that clients must trust; <c>null</c> without TLS.</summary>
    public string? CertificateFile => _certificate?.PublicFile;

    internal ServiceBusNamespace Entities { get; }

    /// <summary>Starts an in-memory broker in this process, on an available loopback port, for tests.</summary>
    /// <exception cref="EntityException">A queue name is invalid or a duplicate.</exception>
    public static async Task<LocalServiceBus> StartAsync(params string[] queues)
    {
        var broker = await StartAsync(new LocalServiceBusOptions { Port = 0, Queues = [] });
        try
        {
            foreach (var queue in queues)
                broker.Entities.Create(new QueueOptions(queue));
            return broker;
        }
        catch
        {
            await broker.DisposeAsync();
            throw;
        }
    }

    /// <summary>Starts a broker in this process.</summary>
    /// <exception cref="BrokerStartException">A setting is invalid, or the port is in use.</exception>
    public static Task<LocalServiceBus> StartAsync(
        LocalServiceBusOptions options,
        CancellationToken cancellationToken = default
    )
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        builder.Services.AddRoutingCore();
        builder.Services.Replace(ServiceDescriptor.Singleton(options.LoggerFactory));
        // Ctrl+C and signals belong to the hosting process.
        builder.Services.Replace(ServiceDescriptor.Singleton<IHostLifetime, OwnersLifetime>());
        return StartAsync(builder, options, cancellationToken);
    }

    /// <summary>Starts a broker on a host that provides logging and lifetime.</summary>
    /// <exception cref="BrokerStartException">A setting is invalid, or the port is in use.</exception>
    internal static async Task<LocalServiceBus> StartAsync(
        WebApplicationBuilder builder,
        LocalServiceBusOptions options,
        CancellationToken cancellationToken = default
    )
    {
        options.Validate();
        var file = ConfigFile.Load(options.ConfigFile);
        var rules = new AccessRules(file.Rules, options.RequireTokens, options.TokenTimeProvider);
        var certificate = Certificate.Load(options);
        WebApplication? app = null;
        try
        {
            AddServices(builder, options, certificate);
            builder.Services.AddSingleton(rules);
            app = builder.Build();
            var entities = app.Services.GetRequiredService<ServiceBusNamespace>();
            rules.OfEntity = entities.KeysOf;
            Declare(entities, options.Queues ?? file.Entities, options);
            // Requests can take long, so don't process them on the thread that serves all sockets.
            app.Use(
                async (context, next) =>
                {
                    await Task.Yield();
                    await next(context);
                }
            );
            app.UseWebSockets();
            app.Use(new HttpAccess(rules).InvokeAsync);
            app.MapWebSocket();
            app.MapStatus();
            app.MapPage();
            app.MapManagement();
            await app.StartAsync(cancellationToken);
            var logger = app.Services.GetRequiredService<ILogger<LocalServiceBus>>();
            foreach (var member in file.Ignored)
                Log.Ignored(logger, options.ConfigFile!, member);
            if (!options.IsOnLoopback && rules.HasWellKnownKey)
                Log.KeyIsWellKnown(logger, options.Listen);
            return new LocalServiceBus(app, AddressOf(app, options), certificate);
        }
        catch (Exception error)
        {
            if (app is not null)
                await app.DisposeAsync();
            certificate?.Dispose();
            if (BindFailure(error, options) is { } failure)
                throw failure;
            throw;
        }
    }

    /// <summary>Closes all AMQP connections, as a network failure would.</summary>
    /// <returns>The number of connections closed.</returns>
    public int DropConnections() => _frontEnd.DropConnections();

    /// <summary>Returns the current contents and the totals of an entity.</summary>
    /// <param name="entity"><c>QUEUE</c> or <c>TOPIC/Subscriptions/SUBSCRIPTION</c>, with or without
    /// <c>/$DeadLetterQueue</c>.</param>
    /// <exception cref="EntityException">The entity doesn't exist.</exception>
    public QueueCounts CountsOf(string entity) =>
        EntityAddress.Parse(entity).FindSource(Entities)?.Counts() ?? throw EntityException.NotFound(entity);

    internal IReadOnlyList<LinkState> LinksOf(Queue queue) => [.. _frontEnd.Links()[queue]];

    public Task WaitForShutdownAsync(CancellationToken cancellationToken = default) =>
        _app.WaitForShutdownAsync(cancellationToken);

    public async ValueTask DisposeAsync()
    {
        try
        {
            await _app.StopAsync();
        }
        finally
        {
            await _app.DisposeAsync();
            _certificate?.Dispose();
        }
    }

    private string ConnectionStringWith(string key) =>
        $"Endpoint=sb://{Address.Authority};SharedAccessKeyName={_rules.Default.Name};SharedAccessKey={key}"
        // SDKs connect without TLS if this is set.
        + (_certificate is null ? ";UseDevelopmentEmulator=true" : "");

    private static void AddServices(
        WebApplicationBuilder builder,
        LocalServiceBusOptions options,
        Certificate? certificate
    )
    {
        // Only the options set the port, not the environment variables of container images.
        builder
            .WebHost.UseSetting(WebHostDefaults.ServerUrlsKey, "")
            .UseSetting(WebHostDefaults.HttpPortsKey, "")
            .UseSetting(WebHostDefaults.HttpsPortsKey, "");
        builder.WebHost.ConfigureKestrel(server => Endpoint.Listen(server, options, certificate));
        builder
            .Services
            // Process received data on the thread that read it, which the broker never blocks.
            .Configure<SocketTransportOptions>(sockets => sockets.UnsafePreferInlineScheduling = true)
            .AddSingleton<IMemoryPoolFactory<byte>, TransportBlocks>()
            .Configure<HostOptions>(host => host.ShutdownTimeout = TimeSpan.FromSeconds(5))
            .AddSingleton(options.TimeProvider)
            .AddSingleton(options.FrontEnd())
            .AddSingleton<Defects>()
            .AddSingleton<IJournal>(services =>
                options.DataFolder is { } folder
                    ? new BrokerJournal(JournalFile.Open(folder), services.GetRequiredService<Defects>())
                    : NoJournal.Instance
            )
            .AddSingleton(CreateEntities)
            .AddSingleton<AmqpFrontEnd>()
            .AddSingleton<FirstBytes>();
    }

    private static ServiceBusNamespace CreateEntities(IServiceProvider services)
    {
        var entities = new ServiceBusNamespace(
            services.GetRequiredService<TimeProvider>(),
            services.GetRequiredService<Defects>()
        )
        {
            Journal = services.GetRequiredService<IJournal>(),
            Reader = new RuleMessageReader(),
        };
        entities.Journal.Restore(entities);
        return entities;
    }

    /// <summary>Creates or updates the declared entities. A declaration replaces stored options. Forwarding is set
    /// last, because targets can be declared later.</summary>
    private static void Declare(
        ServiceBusNamespace entities,
        IReadOnlyList<QueueOptions> declared,
        LocalServiceBusOptions options
    )
    {
        try
        {
            var isNew = declared.ToLookup(entity => entities.Find(entity.Name) is null);
            foreach (var entity in isNew[true])
                entities.Create(entity with { ForwardTo = null, ForwardDeadLetteredMessagesTo = null });
            foreach (var entity in isNew[true].Where(entity => entity.ForwardingTargets.Any()))
                entities.Update(entity);
            foreach (var entity in options.ConfigFile is null ? [] : isNew[false])
                entities.Update(entity).Subscription?.ReplaceRules(entity.Rules ?? []);
            foreach (var name in options.QueueNames.Where(name => entities.Find(name) is null))
                entities.Create(new QueueOptions(name));
        }
        catch (EntityException error)
        {
            throw new BrokerStartException(
                options.DataFolder is null
                    ? $"{options.ConfigFile ?? nameof(options.Queues)}: {error.Message}"
                    : $"{options.ConfigFile} conflicts with {options.DataFolder}: {error.Message}",
                error
            );
        }
    }

    private static Uri AddressOf(WebApplication app, LocalServiceBusOptions options)
    {
        var bound = new Uri(
            app.Urls.First()
                .Replace("//*", "//localhost", StringComparison.Ordinal)
                .Replace("[::]", "localhost", StringComparison.Ordinal)
        );
        return options.PortToOpen == 0 || options.Listen is not ("localhost" or "*")
            ? bound
            : new Uri($"{bound.Scheme}://localhost:{bound.Port}");
    }

    private static BrokerStartException? BindFailure(Exception error, LocalServiceBusOptions options) =>
        error switch
        {
            IOException { InnerException: AddressInUseException }
                when error.Message.Contains($":{options.ManagementPort}:", StringComparison.Ordinal) => new(
                $"Port {options.ManagementPort} is in use. Choose another port with --management-port or ServiceBus:ManagementPort.",
                error
            ),
            IOException { InnerException: AddressInUseException } => new(
                $"Port {options.PortToOpen} is in use. Stop the process that uses it, "
                    + "or choose another port with --port or ServiceBus:Port.",
                error
            ),
            SocketException { SocketErrorCode: SocketError.AccessDenied } => new(
                $"Permission denied for port {options.PortToOpen}: choose a port of 1024 or higher with --port or ServiceBus:Port.",
                error
            ),
            SocketException { SocketErrorCode: SocketError.AddressNotAvailable } => new(
                $"ServiceBus:Listen: {options.Listen} is not an address of this machine.",
                error
            ),
            _ => null,
        };

    private static partial class Log
    {
        [LoggerMessage(
            LogLevel.Warning,
            "The broker listens on {Listen}, and the key of its default rule is the official emulator's, which is public. "
                + "Declare AuthorizationRules in the configuration file if other machines can connect to it."
        )]
        public static partial void KeyIsWellKnown(ILogger logger, string listen);

        [LoggerMessage(LogLevel.Warning, "{File}: {Member} is ignored: this broker does not support it")]
        public static partial void Ignored(ILogger logger, string file, string member);
    }

    private sealed class OwnersLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
