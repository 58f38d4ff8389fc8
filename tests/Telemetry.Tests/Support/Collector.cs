using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Telemetry.Tests.Support;

internal sealed class Collector : IAsyncDisposable
{
    private readonly WebApplication _app;

    private Collector(WebApplication app, TelemetryStore store) => (_app, Store) = (app, store);

    public TelemetryStore Store { get; }

    /// <summary>The address with the trailing slash that senders require.</summary>
    public Uri Address =>
        new(
            _app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First() + "/"
        );

    public static async Task<Collector> StartAsync(TelemetryStoreOptions? options = null)
    {
        var store = new TelemetryStore(options);
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var app = builder.Build();
        app.MapTelemetryIngestion(store);
        await app.StartAsync();
        return new(app, store);
    }

    public async ValueTask DisposeAsync()
    {
        await _app.DisposeAsync();
        await Store.DisposeAsync();
    }
}
