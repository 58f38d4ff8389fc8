using System.Diagnostics.Metrics;
using DroneDelivery.Calls;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class Caller : IAsyncDisposable
{
    private readonly ServiceProvider _provider;
    private readonly Addresses _addresses = new();

    /// <param name="settings">The settings. By default, there are no retries and no total timeout.</param>
    public Caller(
        Dictionary<string, string?> settings,
        TimeProvider time,
        FakeReplica[] replicas,
        Action<IServiceCollection>? add = null
    )
    {
        Announce([.. replicas.Select(replica => replica.Address)]);
        var configuration = new ConfigurationBuilder()
            .Add(_addresses)
            .AddInMemoryCollection([
                new("Resilience:RetryDelays", settings.ContainsKey("Resilience:RetryDelays:0") ? null : ""),
            ])
            .AddInMemoryCollection([new("Resilience:TotalTimeout", "1.00:00:00")])
            .AddInMemoryCollection(settings)
            .Build();
        var services = new ServiceCollection();
        add?.Invoke(services);
        services.AddServiceClient<Client>("backend");
        _provider = services
            .AddSingleton<IConfiguration>(configuration)
            .AddSingleton(time)
            .AddLogging(logging => logging.AddProvider(Logs))
            .BuildServiceProvider();
    }

    public RecordedLogs Logs { get; } = new();

    public IMeterFactory Meters => _provider.GetRequiredService<IMeterFactory>();

    public HttpClient Http => _provider.GetRequiredService<Client>().Http;

    public void Announce(params string[] addresses) => _addresses.Set(addresses);

    public Task<HttpResponseMessage> CallAsync() => Http.GetAsync(new Uri("anything", UriKind.Relative), Cancelled);

    public async Task CallAsync(int times)
    {
        for (var i = 0; i < times; i++)
            (await CallAsync()).Dispose();
    }

    public ValueTask DisposeAsync() => _provider.DisposeAsync();

    private sealed class Addresses : ConfigurationProvider, IConfigurationSource
    {
        public void Set(string[] addresses)
        {
            Data = addresses
                .Index()
                .ToDictionary(
                    address => $"services:backend:http:{address.Index}",
                    address => (string?)address.Item,
                    StringComparer.OrdinalIgnoreCase
                );
            OnReload();
        }

        public IConfigurationProvider Build(IConfigurationBuilder builder) => this;
    }

    private sealed class Client(HttpClient http)
    {
        public HttpClient Http { get; } = http;
    }
}
