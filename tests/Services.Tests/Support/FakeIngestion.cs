using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Stands where Ingestion would: remembers what reaches it, and answers as a test says.</summary>
internal sealed class FakeIngestion : IAsyncDisposable
{
    private readonly WebApplication _app = LocalServer.Build();
    private readonly ConcurrentQueue<Received> _requests = new();

    private FakeIngestion()
    {
        _app.Run(HandleAsync);
    }

    /// <summary>The body is in <see cref="Received"/> already.</summary>
    public Func<HttpContext, Task> Answer { get; set; } = context => context.Response.WriteAsync("answer");

    public IReadOnlyCollection<Received> Requests => _requests;

    public Uri Address => new(_app.Urls.First());

    public static async Task<FakeIngestion> StartAsync()
    {
        var fake = new FakeIngestion();
        await fake._app.StartAsync(TestContext.Current.CancellationToken);
        return fake;
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private async Task HandleAsync(HttpContext context)
    {
        _requests.Enqueue(await ReadAsync(context));
        await Answer(context);
    }

    private static async Task<Received> ReadAsync(HttpContext context)
    {
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        var request = context.Request;
        return new(
            request.Method,
            context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget,
            request.Headers.ToDictionary(header => header.Key, header => header.Value.ToString(), StringComparer.OrdinalIgnoreCase),
            body.ToArray());
    }

    /// <param name="Target">As it was written in the request line.</param>
    public sealed record Received(string Method, string Target, IReadOnlyDictionary<string, string> Headers, byte[] Body);
}
