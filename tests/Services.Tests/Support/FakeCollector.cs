using System.Collections.Concurrent;
using System.IO.Compression;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Takes what Application Insights sends, and remembers every other path that somebody asked for.</summary>
internal sealed class FakeCollector : IAsyncDisposable
{
    private readonly WebApplication _app = LocalServer.Build();

    private FakeCollector()
    {
        _app.MapPost("/v2/track", TrackAsync);
        _app.MapFallback(context =>
        {
            OtherPaths.Enqueue(context.Request.Path);
            context.Response.StatusCode = 404;
            return Task.CompletedTask;
        });
    }

    public ConcurrentQueue<JsonElement> Items { get; } = new();

    public ConcurrentQueue<string> OtherPaths { get; } = new();

    public Dictionary<string, string?> Settings => new()
    {
        ["APPLICATIONINSIGHTS_CONNECTION_STRING"] =
            $"InstrumentationKey=00000000-0000-0000-0000-000000000001;IngestionEndpoint={_app.Urls.First()}/",
    };

    public static async Task<FakeCollector> StartAsync()
    {
        var collector = new FakeCollector();
        await collector._app.StartAsync(TestContext.Current.CancellationToken);
        return collector;
    }

    /// <summary>The items of one kind of one role.</summary>
    public IEnumerable<JsonElement> Of(string baseType, string role) => Items.Where(item =>
        item.GetProperty("data").GetProperty("baseType").GetString() == baseType
        && item.GetProperty("tags").GetProperty("ai.cloud.role").GetString() == role);

    public static JsonElement DataOf(JsonElement item) => item.GetProperty("data").GetProperty("baseData");

    public static string? OperationOf(JsonElement item) => item.GetProperty("tags").GetProperty("ai.operation.id").GetString();

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private async Task<IResult> TrackAsync(HttpRequest request)
    {
        await using var body = request.Headers.ContentEncoding == "gzip"
            ? new GZipStream(request.Body, CompressionMode.Decompress)
            : request.Body;
        using var reader = new StreamReader(body);
        var count = 0;
        while (await reader.ReadLineAsync() is { } line)
        {
            Items.Enqueue(JsonDocument.Parse(line).RootElement);
            count++;
        }
        return TypedResults.Ok(new { itemsReceived = count, itemsAccepted = count, errors = Array.Empty<string>() });
    }
}
