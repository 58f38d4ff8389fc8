using DroneDelivery.LabAgent;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class LabService : IAsyncDisposable
{
    private readonly WebApplication _app;
    private int _worked;

    private LabService(TimeProvider time, Dictionary<string, string?> settings, Action work)
    {
        _app = LocalServer.Build(
            builder =>
            {
                builder.Services.AddSingleton(time);
                builder.AddServiceDefaults("test");
                builder.Services.AddLab();
                builder.Logging.AddProvider(Logs);
            },
            settings
        );
        _app.MapServiceDefaults();
        _app.MapGet("/other", () => TypedResults.Ok());
        var api = _app.MapApi("/api");
        api.MapGet("/work", () =>
        {
            work();
            Interlocked.Increment(ref _worked);
            return TypedResults.Ok();
        });
        api.MapGet("/missing", () => TypedResults.NotFound());
        api.MapGet("/away", IResult () =>
            throw new DependencyUnavailableException(
                "urn:test:away",
                "Away",
                "The store does not answer.",
                TimeSpan.FromSeconds(1)
            )
        );
        api.MapGet("/failure", IResult () => throw new InvalidOperationException("Requested by the test."));
    }

    public RecordedLogs Logs { get; } = new();

    public HttpClient Client { get; } = new();

    public int Worked => Volatile.Read(ref _worked);

    public bool IsStopping => _app.Lifetime.ApplicationStopping.IsCancellationRequested;

    public static async Task<LabService> StartAsync(
        TimeProvider? time = null,
        Dictionary<string, string?>? settings = null,
        Action? work = null
    )
    {
        var service = new LabService(time ?? TimeProvider.System, settings ?? [], work ?? (() => { }));
        await service._app.StartAsync(Cancelled);
        service.Client.BaseAddress = new Uri(service._app.Urls.First());
        return service;
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _app.StopAsync(Cancelled);
        await _app.DisposeAsync();
    }
}
