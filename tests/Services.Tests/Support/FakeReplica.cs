using System.Collections.Concurrent;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>One replica of a service that others call: remembers what reaches it, and answers as a test says.</summary>
internal sealed class FakeReplica : FakeServer
{
    private readonly ConcurrentQueue<Received> _requests = new();

    private FakeReplica(int port, X509Certificate2? certificate) : base(LocalServer.Build(port: port, certificate: certificate)) =>
        App.Run(HandleAsync);

    /// <summary>The status to answer; may wait.</summary>
    public Func<Task<int>> Answer { get; set; } = () => Task.FromResult(200);

    public Action<IHeaderDictionary> Headers { get; set; } = _ => { };

    /// <summary>Writes headers and a body after the status; may wait.</summary>
    public Func<HttpResponse, Task> Write { get; set; } = _ => Task.CompletedTask;

    public int Port => new Uri(Address).Port;

    public IReadOnlyCollection<Received> Requests => _requests;

    public int Calls => _requests.Count;

    public static Task<FakeReplica> StartAsync(int port = 0, X509Certificate2? certificate = null) =>
        StartAsync(new FakeReplica(port, certificate));

    /// <summary>What each call says in a header; empty where it does not.</summary>
    public IEnumerable<string> Header(string name) => _requests.Select(request => request.Headers.GetValueOrDefault(name, ""));

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
                header => header.Key, header => header.Value.ToString(), StringComparer.OrdinalIgnoreCase),
            body.ToArray(),
            context.Connection.Id);
    }

    /// <param name="Target">As it was written in the request line.</param>
    public sealed record Received(
        string Method, string Target, IReadOnlyDictionary<string, string> Headers, byte[] Body, string Connection);
}
