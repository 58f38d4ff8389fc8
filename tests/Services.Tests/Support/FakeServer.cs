using Microsoft.AspNetCore.Builder;

namespace DroneDelivery.Services.Tests.Support;

internal abstract class FakeServer(WebApplication app) : IAsyncDisposable
{
    private int _running;
    private int _mostRunning;

    public string Address => app.Urls.First();

    public int Running => Volatile.Read(ref _running);

    public int MostRunning => Volatile.Read(ref _mostRunning);

    protected WebApplication App => app;

    public virtual ValueTask DisposeAsync() => app.DisposeAsync();

    protected static async Task<T> StartAsync<T>(T server)
        where T : FakeServer
    {
        await server.App.StartAsync(Cancelled);
        return server;
    }

    protected async Task CountAsync(Func<Task> call)
    {
        var running = Interlocked.Increment(ref _running);
        for (var most = MostRunning; running > most; most = MostRunning)
            Interlocked.CompareExchange(ref _mostRunning, running, most);
        try
        {
            await call();
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }
}
