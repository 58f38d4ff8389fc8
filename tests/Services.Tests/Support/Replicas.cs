namespace DroneDelivery.Services.Tests.Support;

/// <summary>Replicas of a service that others call.</summary>
internal sealed class Replicas(FakeReplica[] all) : IAsyncDisposable
{
    public FakeReplica[] All { get; } = all;

    public static async Task<Replicas> StartAsync(int count) =>
        new(await Task.WhenAll(Enumerable.Range(0, count).Select(_ => FakeReplica.StartAsync())));

    public async ValueTask DisposeAsync()
    {
        foreach (var replica in All)
            await replica.DisposeAsync();
    }
}
