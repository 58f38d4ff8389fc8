using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A request that a load generator sent.</summary>
internal sealed record RecordedRequest(TimeSpan At, int Port, string? ContentType, string Body)
{
    public DeliveryRequest Delivery => JsonSerializer.Deserialize<DeliveryRequest>(Body, ContractJson.Options)!;
}

/// <summary>Three replicas of an Ingestion that records every request.</summary>
internal sealed class RecordingServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly long _start = Stopwatch.GetTimestamp();

    private RecordingServer(WebApplication app) => _app = app;

    public ConcurrentBag<RecordedRequest> Requests { get; } = [];

    public IReadOnlyList<Uri> Targets => [.. _app.Urls.Select(url => new Uri(url))];

    /// <summary><c>true</c> if no request arrived for several times the users' interval.</summary>
    public bool StoodStill
    {
        get
        {
            var times = Requests.Select(request => request.At).Order().ToList();
            return times.Zip(times.Skip(1)).Any(pair => pair.Second - pair.First > TimeSpan.FromSeconds(0.8));
        }
    }

    /// <param name="counters">The response to <c>GET /$counters</c>, like that of the local broker.</param>
    public static async Task<RecordingServer> StartAsync(
        int status = StatusCodes.Status202Accepted,
        Func<object>? counters = null
    )
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            for (var replica = 0; replica < 3; replica++)
                kestrel.Listen(System.Net.IPAddress.Loopback, 0);
        });
        var server = new RecordingServer(builder.Build());
        server._app.MapPost("/api/deliveryrequests", async context =>
        {
            using var reader = new StreamReader(context.Request.Body);
            var body = await reader.ReadToEndAsync(context.RequestAborted);
            var at = Stopwatch.GetElapsedTime(server._start);
            server.Requests.Add(new(at, context.Connection.LocalPort, context.Request.ContentType, body));
            context.Response.StatusCode = status;
        });
        if (counters is not null)
            server._app.MapGet("/$counters", () => Results.Json(counters()));
        await server._app.StartAsync(Cancel);
        return server;
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();
}
