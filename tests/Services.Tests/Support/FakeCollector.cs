using System.Collections.Concurrent;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class FakeCollector : FakeServer
{
    // A unique key: the exporter stores failed uploads on disk by key, for the next process with the same key.
    private readonly Guid _key = Guid.NewGuid();

    private FakeCollector()
        : base(LocalServer.Build())
    {
        // The exporter appends "/v2.1/track" to an endpoint that ends with a slash.
        App.MapFallback(
            (HttpRequest request) =>
            {
                if (request.Path.Value?.TrimStart('/') == "v2.1/track")
                    return TrackAsync(request);
                OtherPaths.Enqueue(request.Path);
                return Task.FromResult<IResult>(TypedResults.NotFound());
            }
        );
    }

    public ConcurrentQueue<JsonElement> Items { get; } = new();

    public ConcurrentQueue<string> OtherPaths { get; } = new();

    public Dictionary<string, string?> Settings =>
        new()
        {
            ["APPLICATIONINSIGHTS_CONNECTION_STRING"] = $"InstrumentationKey={_key};IngestionEndpoint={Address}/",
            ["OTEL_BSP_SCHEDULE_DELAY"] = "200",
            ["OTEL_BLRP_SCHEDULE_DELAY"] = "200",
        };

    public static Task<FakeCollector> StartAsync() => StartAsync(new FakeCollector());

    public IEnumerable<JsonElement> Of(string baseType, string role) =>
        Items.Where(item =>
            item.GetProperty("data").GetProperty("baseType").GetString() == baseType
            && item.GetProperty("tags").GetProperty("ai.cloud.role").GetString() == role
        );

    public static JsonElement DataOf(JsonElement item) => item.GetProperty("data").GetProperty("baseData");

    public static string? PropertyOf(JsonElement item, string name) =>
        DataOf(item).TryGetProperty("properties", out var properties) && properties.TryGetProperty(name, out var value)
            ? value.GetString()
            : null;

    public static string? OperationOf(JsonElement item) =>
        item.GetProperty("tags").GetProperty("ai.operation.id").GetString();

    private async Task<IResult> TrackAsync(HttpRequest request)
    {
        using var reader = new StreamReader(request.Body);
        var count = 0;
        while (await reader.ReadLineAsync() is { } line)
        {
            Items.Enqueue(JsonDocument.Parse(line).RootElement);
            count++;
        }
        return TypedResults.Ok(new { itemsReceived = count, itemsAccepted = count });
    }
}
