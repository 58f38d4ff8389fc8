using System.Collections.Concurrent;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>One replica of a service that others call: does what the test says and counts.</summary>
internal sealed class FakeReplica : IAsyncDisposable
{
    private readonly WebApplication _app;
    private int _calls;
    private int _running;
    private int _mostRunning;

    private FakeReplica(int port, X509Certificate2? certificate)
    {
        _app = LocalServer.Build(port: port, certificate: certificate);
        _app.Run(HandleAsync);
    }

    /// <summary>The status to answer; may wait.</summary>
    public Func<Task<int>> Answer { get; set; } = () => Task.FromResult(200);

    /// <summary>Writes headers and a body after the status; may wait.</summary>
    public Func<HttpResponse, Task> Write { get; set; } = _ => Task.CompletedTask;

    public string Address => _app.Urls.First();

    public int Port => new Uri(Address).Port;

    public int Calls => Volatile.Read(ref _calls);

    public int Running => Volatile.Read(ref _running);

    public int MostRunning => Volatile.Read(ref _mostRunning);

    public ConcurrentQueue<string> Hosts { get; } = new();

    /// <summary>The connection of each call.</summary>
    public ConcurrentQueue<string> Connections { get; } = new();

    /// <summary>The trace parent of each call.</summary>
    public ConcurrentQueue<string> Parents { get; } = new();

    /// <summary>What each call says of when it was sent; empty where it does not.</summary>
    public ConcurrentQueue<string> SentAt { get; } = new();

    /// <summary>What it says of when it answered, if it does.</summary>
    public Func<string>? AnsweredAt { get; set; }

    public static async Task<FakeReplica> StartAsync(int port = 0, X509Certificate2? certificate = null)
    {
        var replica = new FakeReplica(port, certificate);
        await replica._app.StartAsync(TestContext.Current.CancellationToken);
        return replica;
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private async Task HandleAsync(HttpContext context)
    {
        Interlocked.Increment(ref _calls);
        Hosts.Enqueue(context.Request.Host.Value ?? "");
        Connections.Enqueue(context.Connection.Id);
        Parents.Enqueue(context.Request.Headers.TraceParent.ToString());
        SentAt.Enqueue(context.Request.Headers["Emulation-Sent-At"].ToString());
        if (AnsweredAt is { } answeredAt)
            context.Response.Headers["Emulation-Answered-At"] = answeredAt();
        var running = Interlocked.Increment(ref _running);
        for (var most = MostRunning; running > most; most = MostRunning)
            Interlocked.CompareExchange(ref _mostRunning, running, most);
        try
        {
            context.Response.StatusCode = await Answer();
            await Write(context.Response);
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }
}
