using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.Hosts;

/// <summary>
/// One service inside the test's process: its own Program, on Kestrel and a free port, with settings as its command line would give them.
/// Disposing it stops the service as SIGTERM does.
/// </summary>
/// <typeparam name="TService">Any type of the service's assembly.</typeparam>
internal sealed class ServiceHost<TService> : WebApplicationFactory<TService> where TService : class
{
    private readonly Dictionary<string, string?> _settings;

    private readonly TimeProvider _time;

    private ServiceHost(Dictionary<string, string?> settings, int port, TimeProvider time)
    {
        _time = time;
        // With a port of its own the factory would set the address after the service's Program may have started the server.
        _settings = settings.And("urls", $"http://127.0.0.1:{port}");
        UseKestrel();
    }

    public RecordedLogs Logs { get; } = new();

    /// <summary>Where it listens.</summary>
    public Uri Address => ClientOptions.BaseAddress;

    public static ServiceHost<TService> Start(Dictionary<string, string?> settings, int port = 0, TimeProvider? time = null)
    {
        var host = new ServiceHost<TService>(settings, port, time ?? TimeProvider.System);
        host.StartServer();
        return host;
    }

    protected override void ConfigureWebHost(IWebHostBuilder builder)
    {
        builder.UseEnvironment("Production");
        foreach (var (key, value) in _settings)
            builder.UseSetting(key, value);
        builder.ConfigureServices(services => services.AddSingleton(_time));
        builder.ConfigureLogging(logging => logging.ClearProviders().AddProvider(Logs));
    }
}
