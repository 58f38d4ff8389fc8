using System.Collections.Concurrent;
using System.IO.Compression;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class FakeCollector : FakeServer
{
    private FakeCollector()
        : base(LocalServer.Build())
    {
        App.MapPost("/v2/track", TrackAsync);
        App.MapFallback(context =>
        {
            OtherPaths.Enqueue(context.Request.Path);
            context.Response.StatusCode = 404;
            return Task.CompletedTask;
        });
    }

    public ConcurrentQueue<JsonElement> Items { get; } = new();

    public ConcurrentQueue<(string Id, string[] Names)> Uploads { get; } = new();

    public Func<int, IResult> Answer { get; set; } = Taken;

    public Task MayAnswer { get; set; } = Task.CompletedTask;

    public ConcurrentQueue<string> OtherPaths { get; } = new();

    public Uri Endpoint => new($"{Address}/v2/track");

    public Dictionary<string, string?> Settings =>
        new()
        {
            ["APPLICATIONINSIGHTS_CONNECTION_STRING"] =
                $"InstrumentationKey=00000000-0000-0000-0000-000000000001;IngestionEndpoint={Address}/",
        };

    public static Task<FakeCollector> StartAsync() => StartAsync(new FakeCollector());

    public IEnumerable<JsonElement> Of(string baseType, string role) =>
        Items.Where(item =>
            item.GetProperty("data").GetProperty("baseType").GetString() == baseType
            && item.GetProperty("tags").GetProperty("ai.cloud.role").GetString() == role
        );

    public static JsonElement DataOf(JsonElement item) => item.GetProperty("data").GetProperty("baseData");

    public static string? OperationOf(JsonElement item) =>
        item.GetProperty("tags").GetProperty("ai.operation.id").GetString();

    public static IResult Taken(int count) => TypedResults.Ok(new { itemsReceived = count, itemsAccepted = count });

    private async Task<IResult> TrackAsync(HttpRequest request)
    {
        Assert.Equal("application/x-json-stream", request.ContentType);
        await using var body = new GZipStream(request.Body, CompressionMode.Decompress);
        using var reader = new StreamReader(body);
        var names = new List<string>();
        while (await reader.ReadLineAsync() is { } line)
        {
            var item = JsonDocument.Parse(line).RootElement;
            Items.Enqueue(item);
            names.Add(DataOf(item).TryGetProperty("name", out var name) ? name.GetString()! : "");
        }
        Uploads.Enqueue((request.Headers["X-Upload-Id"].ToString(), [.. names]));
        await MayAnswer;
        return Answer(names.Count);
    }
}
