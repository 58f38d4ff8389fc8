using System.Collections.Concurrent;
using System.Security.Cryptography.X509Certificates;
using DroneDelivery.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class FakeReplica : FakeServer
{
    private readonly ConcurrentQueue<Received> _requests = new();

    private FakeReplica(int port, X509Certificate2? certificate)
        : base(LocalServer.Build(port: port, certificate: certificate)) => App.Run(HandleAsync);

    public Func<Task<int>> Answer { get; set; } = () => Task.FromResult(200);

    public Action<IHeaderDictionary> Headers { get; set; } = _ => { };

    /// <summary>Writes headers and a body after the status. May wait.</summary>
    public Func<HttpResponse, Task> Write { get; set; } = _ => Task.CompletedTask;

    public int Port => new Uri(Address).Port;

    public IReadOnlyCollection<Received> Requests => _requests;

    public int Calls => _requests.Count;

    public static Task<FakeReplica> StartAsync(int port = 0, X509Certificate2? certificate = null) =>
        StartAsync(new FakeReplica(port, certificate));

    public IEnumerable<string> Header(string name) =>
        _requests.Select(request => request.Headers.GetValueOrDefault(name, ""));

    private async Task HandleAsync(HttpContext context)
    {
        _requests.Enqueue(await ReadAsync(context));
        await CountAsync(async () =>
        {
            context.Response.StatusCode = await Answer();
            Headers(context.Response.Headers);
            await Write(context.Response);
        });
    }

    private static async Task<Received> ReadAsync(HttpContext context)
    {
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body);
        return new(
            context.Request.Method,
            context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget,
            context.Request.Headers.ToDictionary(
                header => header.Key,
                header => header.Value.ToString(),
                StringComparer.OrdinalIgnoreCase
            ),
            body.ToArray(),
            context.Connection.Id
        );
    }

    public sealed record Received(
        string Method,
        string Target,
        IReadOnlyDictionary<string, string> Headers,
        byte[] Body,
        string Connection
    );
}

internal sealed class Replicas(ReservedPort[] ports, FakeReplica[] all) : IAsyncDisposable
{
    public FakeReplica[] All { get; } = all;

    /// <summary>
    /// Starts replicas that keep their ports when they are disposed, so that no other server responds there.
    /// </summary>
    public static async Task<Replicas> StartAsync(int count)
    {
        ReservedPort[] ports = [.. Enumerable.Range(0, count).Select(_ => new ReservedPort())];
        return new(ports, await Task.WhenAll(ports.Select(port => FakeReplica.StartAsync(port.Number))));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var replica in All)
            await replica.DisposeAsync();
        foreach (var port in ports)
            port.Dispose();
    }
}
