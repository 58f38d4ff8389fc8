using DroneDelivery.Delivery.Redis;

namespace DroneDelivery.Services.Tests.Delivery;

public sealed class ConnectingTests
{
    [Fact]
    public async Task All_who_ask_share_one_attempt_and_one_connection()
    {
        var attempts = 0;
        var open = new TaskCompletionSource<int>();
        var connecting = new Connecting<int>(() => Attempt(open.Task));
        var first = connecting.Current;
        var second = connecting.Current;
        Assert.Null(connecting.Connected);

        open.SetResult(7);

        Assert.Equal((7, 7, 7), (await first, await second, await connecting.Current));
        Assert.Equal(7, await connecting.Connected!);
        Assert.Equal(1, attempts);

        Task<int> Attempt(Task<int> connection)
        {
            attempts++;
            return connection;
        }
    }

    [Fact]
    public async Task An_attempt_that_failed_or_was_cancelled_is_not_kept()
    {
        var attempts = new Queue<Task<int>>([
            Task.FromException<int>(new InvalidOperationException("Failed to acquire a token.")),
            Task.FromCanceled<int>(new(canceled: true)),
            Task.FromResult(7)]);
        var connecting = new Connecting<int>(attempts.Dequeue);

        await Assert.ThrowsAsync<InvalidOperationException>(() => connecting.Current);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => connecting.Current);

        Assert.Null(connecting.Connected);
        Assert.Equal(7, await connecting.Current);
    }
}
