using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// One service inside the test's process: its own Program on Kestrel with an available port, and settings as from its
/// command line. Disposing it stops the service as SIGTERM does.
/// </summary>
internal sealed class ServiceHost<TService> : WebApplicationFactory<TService>
    where TService : class
{
    private readonly Dictionary<string, string?> _settings;

    private readonly TimeProvider _time;

    private readonly Action<IServiceCollection> _add;

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private IHostApplicationLifetime? _lifetime;

    private HttpClient? _http;

    private ServiceHost(Dictionary<string, string?> settings, TimeProvider time, Action<IServiceCollection> add)
    {
        _time = time;
        _add = add;
        // With its own port, the factory would set the address after Program may have started the server.
        _settings = settings.And("urls", "http://127.0.0.1:0");
        UseKestrel();
    }

    public RecordedLogs Logs { get; } = new();

    public Uri Address => ClientOptions.BaseAddress;

    public HttpClient Http => _http ??= CreateClient();

    /// <param name="settings">Settings as on the command line; <c>null</c> for a missing one.</param>
    public static ServiceHost<TService> Start(
        Dictionary<string, string?> settings,
        TimeProvider? time = null,
        Action<IServiceCollection>? add = null
    )
    {
        var host = new ServiceHost<TService>(settings, time ?? TimeProvider.System, add ?? (_ => { }));
        host.StartServer();
        host._lifetime = host.Services.GetRequiredService<IHostApplicationLifetime>();
        return host;
    }

    /// <summary>
    /// Asks the Program to stop and waits until it has. The factory stops the host itself, which makes the Program stop
    /// it too, so hosted services would be stopped twice concurrently (dotnet/aspnetcore issue 40271).
    /// </summary>
    public override async ValueTask DisposeAsync()
    {
        _http?.Dispose();
        if (_lifetime is null)
        {
            await base.DisposeAsync();
        }
        else
        {
            _lifetime.StopApplication();
            await _ended.Task.WaitAsync(TimeSpan.FromSeconds(60), TimeProvider.System, CancellationToken.None);
        }

        GC.SuppressFinalize(this);
    }

    protected override void ConfigureWebHost(IWebHostBuilder builder)
    {
        builder.UseEnvironment("Production");
        foreach (var (key, value) in _settings.Where(setting => setting.Value is not null))
            builder.UseSetting(key, value);
        builder.ConfigureServices(services =>
        {
            services.AddSingleton(_time);
            _add(services);
            // The first service to be created is the last to be disposed.
            services.Insert(0, ServiceDescriptor.Singleton<IHostedService>(_ => new ProgramEnd(_ended)));
        });
        builder.ConfigureLogging(logging => logging.ClearProviders().AddProvider(Logs));
    }

    /// <summary>Signals the end of the Program: it is disposed after everything that the Program created.</summary>
    private sealed class ProgramEnd(TaskCompletionSource reached) : IHostedService, IDisposable
    {
        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public void Dispose() => reached.TrySetResult();
    }
}
