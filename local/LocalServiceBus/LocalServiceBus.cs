using System.Net.Sockets;
using DroneDelivery.LocalServiceBus.Admin;
using DroneDelivery.LocalServiceBus.Configuration;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Hosting;
using DroneDelivery.LocalServiceBus.Journal;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.LocalServiceBus;

/// <summary>
/// A Service Bus on this machine: AMQP 1.0 and the HTTP management API on one port, everything in memory, and in a folder where one is
/// given. It lets everybody in; the key in <see cref="ConnectionString"/> is the well-known one of the official emulator, because SDKs
/// insist on having one.
/// </summary>
public sealed class LocalServiceBus : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly AmqpFrontEnd _frontEnd;

    private LocalServiceBus(WebApplication app, Uri address)
    {
        _app = app;
        Address = address;
        Entities = app.Services.GetRequiredService<ServiceBusNamespace>();
        _frontEnd = app.Services.GetRequiredService<AmqpFrontEnd>();
    }

    /// <summary>Of the HTTP management API; AMQP has the same host and port.</summary>
    public Uri Address { get; }

    public string ConnectionString =>
        $"Endpoint=sb://{Address.Authority};SharedAccessKeyName=RootManageSharedAccessKey;"
        + "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true";

    public ServiceBusNamespace Entities { get; }

    /// <summary>Starts a broker inside this process.</summary>
    /// <exception cref="BrokerStartException">A setting is wrong, or the port is in use.</exception>
    public static Task<LocalServiceBus> StartAsync(LocalServiceBusOptions options, CancellationToken cancellationToken = default)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        builder.Services.AddRoutingCore();
        builder.Services.Replace(ServiceDescriptor.Singleton(options.LoggerFactory));
        // The console's signals belong to the process around it.
        builder.Services.Replace(ServiceDescriptor.Singleton<IHostLifetime, OwnersLifetime>());
        return StartAsync(builder, options, cancellationToken);
    }

    /// <summary>Starts a broker on a host that brings its own logging and lifetime.</summary>
    /// <exception cref="BrokerStartException">A setting is wrong, or the port is in use.</exception>
    public static async Task<LocalServiceBus> StartAsync(
        WebApplicationBuilder builder, LocalServiceBusOptions options, CancellationToken cancellationToken = default)
    {
        options.Validate();
        var queues = ConfigFile.Load(options.ConfigFile);
        AddServices(builder, options);
        var app = builder.Build();
        try
        {
            var entities = app.Services.GetRequiredService<ServiceBusNamespace>();
            Declare(entities, queues, options);
            app.MapManagement();
            await app.StartAsync(cancellationToken);
            return new LocalServiceBus(app, AddressOf(app, options));
        }
        catch (Exception error)
        {
            await app.DisposeAsync();
            if (BindFailure(error, options) is { } failure)
                throw failure;
            throw;
        }
    }

    /// <summary>Ends every AMQP connection at once, as a network failure would.</summary>
    /// <returns>How many connections were dropped.</returns>
    public int DropConnections() => _frontEnd.DropConnections();

    /// <summary>The links on which clients receive from a queue.</summary>
    public IReadOnlyList<LinkState> LinksOf(Queue queue) => _frontEnd.LinksOf(queue);

    /// <summary>Completes when the host was asked to stop and has stopped.</summary>
    public Task WaitForShutdownAsync(CancellationToken cancellationToken = default) => _app.WaitForShutdownAsync(cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    private static void AddServices(WebApplicationBuilder builder, LocalServiceBusOptions options)
    {
        // The port comes from the options alone, whatever a container image sets for web servers.
        builder.WebHost
            .UseSetting(WebHostDefaults.ServerUrlsKey, "")
            .UseSetting(WebHostDefaults.HttpPortsKey, "")
            .UseSetting(WebHostDefaults.HttpsPortsKey, "");
        builder.WebHost.ConfigureKestrel(server => Endpoint.Listen(server, options));
        builder.Services
            .Configure<HostOptions>(host => host.ShutdownTimeout = TimeSpan.FromSeconds(5))
            .AddSingleton(options.TimeProvider)
            .AddSingleton(options.FrontEnd())
            .AddSingleton<Defects>()
            .AddSingleton<IJournal>(services => options.DataFolder is { } folder
                ? new BrokerJournal(JournalFile.Open(folder), services.GetRequiredService<Defects>())
                : NoJournal.Instance)
            .AddSingleton(CreateEntities)
            .AddSingleton<AmqpFrontEnd>()
            .AddSingleton<FirstBytes>();
    }

    private static ServiceBusNamespace CreateEntities(IServiceProvider services)
    {
        var journal = services.GetRequiredService<IJournal>();
        var entities = new ServiceBusNamespace(services.GetRequiredService<TimeProvider>())
        {
            Defects = services.GetRequiredService<Defects>(),
            Journal = journal,
        };
        journal.Restore(entities);
        return entities;
    }

    /// <summary>A queue that the file declares gets the file's description, whatever was kept of it.</summary>
    private static void Declare(ServiceBusNamespace entities, IEnumerable<QueueOptions> queues, LocalServiceBusOptions options)
    {
        foreach (var queue in queues)
        {
            try
            {
                if (!entities.TryGetQueue(queue.Name, out _))
                    entities.CreateQueue(queue);
                else if (options.ConfigFile is not null)
                    entities.UpdateQueue(queue);
            }
            catch (EntityException error)
            {
                throw new BrokerStartException($"{options.ConfigFile} differs from what {options.DataFolder} has: {error.Message}", error);
            }
        }
    }

    private static Uri AddressOf(WebApplication app, LocalServiceBusOptions options)
    {
        var bound = new Uri(app.Urls.First()
            .Replace("//*", "//localhost", StringComparison.Ordinal)
            .Replace("[::]", "localhost", StringComparison.Ordinal));
        return options.Port == 0 || options.Listen is not ("localhost" or "*") ? bound : new Uri($"http://localhost:{bound.Port}");
    }

    private static BrokerStartException? BindFailure(Exception error, LocalServiceBusOptions options) => error switch
    {
        IOException { InnerException: AddressInUseException } =>
            new(
                $"Port {options.Port} is in use: stop the process that holds it, "
                    + "or choose another port with --port or ServiceBus:Port.",
                error),
        SocketException { SocketErrorCode: SocketError.AccessDenied } =>
            new($"Port {options.Port} may not be opened by this user: choose one from 1024 with --port or ServiceBus:Port.", error),
        SocketException { SocketErrorCode: SocketError.AddressNotAvailable } =>
            new($"ServiceBus:Listen: {options.Listen} is no address of this machine.", error),
        _ => null,
    };

    private sealed class OwnersLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;
        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
