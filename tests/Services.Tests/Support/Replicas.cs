using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Replicas of a service that others call.</summary>
internal sealed class Replicas(ReservedPort[] ports, FakeReplica[] all) : IAsyncDisposable
{
    public FakeReplica[] All { get; } = all;

    /// <summary>The port of one that is disposed stays its own: nobody else answers there.</summary>
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
