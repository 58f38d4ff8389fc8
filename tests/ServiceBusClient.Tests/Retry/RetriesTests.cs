using System.Net.Sockets;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Retry;

public sealed class RetriesTests
{
    private readonly ManualTimeProvider time = new();

    [Theory]
    [InlineData(ServiceBusRetryMode.Exponential, 1, 0.8)]
    [InlineData(ServiceBusRetryMode.Exponential, 2, 1.6)]
    [InlineData(ServiceBusRetryMode.Exponential, 3, 3.2)]
    [InlineData(ServiceBusRetryMode.Exponential, 100, 60)]
    [InlineData(ServiceBusRetryMode.Fixed, 3, 0.8)]
    public void Waits_grow_up_to_their_limit(ServiceBusRetryMode mode, int retry, double seconds) =>
        Assert.Equal(TimeSpan.FromSeconds(seconds), new Retries(new ServiceBusRetryOptions { Mode = mode }, time).DelayBefore(retry));

    [Fact]
    public async Task A_transient_failure_is_tried_again_after_the_wait()
    {
        var tries = 0;
        var run = Retries().RunAsync(
            (_, _) => ++tries < 3 ? Task.FromException<int>(new SocketException((int)SocketError.ConnectionRefused)) : Task.FromResult(42),
            0,
            "orders",
            CancellationToken.None);

        Assert.Equal(1, tries);
        time.Advance(TimeSpan.FromSeconds(0.8));
        await Eventually.HoldsAsync(() => tries == 2);
        time.Advance(TimeSpan.FromSeconds(1.6));

        Assert.Equal(42, await run);
    }

    [Fact]
    public async Task After_the_last_try_the_failure_says_what_and_where()
    {
        var tries = 0;
        var run = Retries(maxRetries: 1).RunAsync(
            (_, _) =>
            {
                tries++;
                return Task.FromException<int>(new SocketException((int)SocketError.ConnectionRefused));
            },
            0,
            "orders",
            CancellationToken.None);
        time.Advance(TimeSpan.FromSeconds(0.8));

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => run);

        Assert.Equal(2, tries);
        Assert.Equal(ServiceBusFailureReason.ServiceCommunicationProblem, error.Reason);
        Assert.True(error.IsTransient);
        Assert.Equal("orders", error.EntityPath);
    }

    [Fact]
    public async Task A_try_that_takes_too_long_is_a_time_out()
    {
        var run = Retries(maxRetries: 0).RunAsync(
            async (_, cancellationToken) =>
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
                return 0;
            },
            0,
            "orders",
            CancellationToken.None);
        time.Advance(TimeSpan.FromSeconds(60));

        Assert.Equal(ServiceBusFailureReason.ServiceTimeout, (await Assert.ThrowsAsync<ServiceBusException>(() => run)).Reason);
    }

    [Fact]
    public async Task What_another_try_will_not_mend_is_not_tried_again()
    {
        var tries = 0;
        var lost = new ServiceBusException("The lock is gone.", ServiceBusFailureReason.MessageLockLost);

        var run = Retries().RunAsync(
            (_, _) =>
            {
                tries++;
                return Task.FromException<int>(lost);
            },
            0,
            "orders",
            CancellationToken.None);
        var error = await Assert.ThrowsAsync<ServiceBusException>(() => run);

        Assert.Same(lost, error);
        Assert.Equal(1, tries);
    }

    [Fact]
    public async Task Cancelling_ends_the_wait_between_tries()
    {
        using var cancellation = new CancellationTokenSource();
        var run = Retries().RunAsync((_, _) => Task.FromException<int>(new TimeoutException()), 0, "orders", cancellation.Token);

        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run);
    }

    private Retries Retries(int maxRetries = 3) => new(new ServiceBusRetryOptions { MaxRetries = maxRetries }, time);
}
