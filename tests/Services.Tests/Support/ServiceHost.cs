using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// One service inside the test's process: its own Program, on Kestrel and a free port, with settings as its command line would give them.
/// Disposing it stops the service as SIGTERM does.
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
        // With a port of its own the factory would set the address after the service's Program may have started the server.
        _settings = settings.And("urls", "http://127.0.0.1:0");
        UseKestrel();
    }

    public RecordedLogs Logs { get; } = new();

    public Uri Address => ClientOptions.BaseAddress;

    public HttpClient Http => _http ??= CreateClient();

    /// <param name="settings">As its command line would give them; null: not at all.</param>
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
    /// Asks the Program to stop, and waits until it has. The factory's own way stops the host beside the Program, which is woken by
    /// that and stops it too: hosted services then meet themselves while they stop (dotnet/aspnetcore issue 40271).
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
            // The first to be made is the last to be disposed.
            services.Insert(0, ServiceDescriptor.Singleton<IHostedService>(_ => new ProgramEnd(_ended)));
        });
        builder.ConfigureLogging(logging => logging.ClearProviders().AddProvider(Logs));
    }

    /// <summary>Takes note of the end of the Program: it is disposed after everything that the Program made.</summary>
    private sealed class ProgramEnd(TaskCompletionSource reached) : IHostedService, IDisposable
    {
        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public void Dispose() => reached.TrySetResult();
    }
}
