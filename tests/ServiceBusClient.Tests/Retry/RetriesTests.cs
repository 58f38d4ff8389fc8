using System.Net.Sockets;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Retry;

public sealed class RetriesTests
{
    private readonly ManualTimeProvider _time = new();

    [Theory]
    [InlineData(ServiceBusRetryMode.Exponential, 1, 1.6)]
    [InlineData(ServiceBusRetryMode.Exponential, 2, 3.2)]
    [InlineData(ServiceBusRetryMode.Exponential, 3, 6.4)]
    [InlineData(ServiceBusRetryMode.Fixed, 1, 0.8)]
    [InlineData(ServiceBusRetryMode.Fixed, 3, 0.8)]
    public void Waits_double_and_are_spread_by_8_percent_of_the_delay(ServiceBusRetryMode mode, int retry, double seconds)
    {
        var retries = With(new() { Mode = mode });
        var waits = Enumerable.Range(0, 200).Select(_ => retries.DelayBefore(retry).TotalSeconds).ToArray();

        Assert.All(waits, wait => Assert.InRange(wait, seconds, seconds + 0.064));
        Assert.InRange(waits.Max() - waits.Min(), 0.05, 0.064);
    }

    [Fact]
    public void No_wait_is_longer_than_its_limit_or_than_a_timer_can_be()
    {
        Assert.Equal(TimeSpan.FromSeconds(60), With(new()).DelayBefore(7));
        Assert.Equal(TimeSpan.FromSeconds(3), With(new() { MaxDelay = TimeSpan.FromSeconds(3) }).DelayBefore(2));
        Assert.Equal(TimeSpan.FromDays(49), With(new() { MaxDelay = TimeSpan.MaxValue }).DelayBefore(100));
    }

    [Fact]
    public async Task Without_any_wait_allowed_there_is_one_try()
    {
        var tries = 0;
        var run = With(new() { MaxDelay = TimeSpan.Zero }).RunAsync(
            (_, _) => Failing(ref tries, new TimeoutException()), 0, "orders", CancellationToken.None);

        await Assert.ThrowsAsync<ServiceBusException>(() => run);

        Assert.Equal(1, tries);
    }

    [Fact]
    public async Task A_policy_of_ones_own_decides_instead_of_the_options()
    {
        var policy = new TwoMoreTries();
        var retries = With(new() { MaxRetries = 0, TryTimeout = TimeSpan.FromHours(1), CustomRetryPolicy = policy });
        var tries = 0;
        var run = retries.RunAsync(
            async (_, ct) =>
            {
                tries++;
                await Task.Delay(Timeout.InfiniteTimeSpan, _time, ct);
                return 0;
            },
            0,
            "orders",
            CancellationToken.None);
        await AdvanceUntilOverAsync(run);

        await Assert.ThrowsAsync<ServiceBusException>(() => run);

        Assert.Equal(3, tries);
        Assert.Equal([0, 1, 2], policy.Timeouts);
        Assert.Equal([1, 2, 3], policy.Failures.Select(failure => failure.Attempts));
        Assert.All(
            policy.Failures,
            failure => Assert.Equal(
                ServiceBusFailureReason.ServiceTimeout, Assert.IsType<ServiceBusException>(failure.Error).Reason));
    }

    [Fact]
    public void The_first_wait_is_as_long_as_the_policy_lets_the_first_try_take()
    {
        var options = new ServiceBusRetryOptions { CustomRetryPolicy = new TwoMoreTries() };

        Assert.Equal((TimeSpan.FromSeconds(0.2), TimeSpan.FromSeconds(0.6)), (options.FirstTryTimeout, options.TryTimeoutOf(2)));
        Assert.Equal(TimeSpan.FromSeconds(0.2), options.Clone().FirstTryTimeout);
        Assert.Equal(TimeSpan.FromMinutes(1), new ServiceBusRetryOptions().FirstTryTimeout);
    }

    [Fact]
    public async Task A_refused_token_is_tried_again()
    {
        var tries = 0;
        var run = Retries(maxRetries: 1).RunAsync(
            (_, _) => Failing(ref tries, new UnauthorizedAccessException()), 0, "orders", CancellationToken.None);
        await AdvanceUntilOverAsync(run);

        await Assert.ThrowsAsync<UnauthorizedAccessException>(() => run);

        Assert.Equal(2, tries);
    }

    [Fact]
    public async Task A_busy_broker_is_left_alone_for_10_s_by_everything_of_the_same_sender()
    {
        var retries = Retries();
        var refused = retries.RunAsync(
            (_, _) => _time.GetTimestamp() == 0 ? Failure(Busy) : Task.FromResult(Seconds), 0, "orders", CancellationToken.None);
        var other = retries.RunAsync((_, _) => Task.FromResult(Seconds), 0, "orders", CancellationToken.None);
        var another = await Retries().RunAsync((_, _) => Task.FromResult(Seconds), 0, "orders", CancellationToken.None);
        await AdvanceUntilOverAsync(Task.WhenAll(refused, other));

        Assert.Equal(0, another);
        Assert.InRange(await other, 9.9, 10.5);
        // Its own wait before the second try, and then the same 10 s.
        Assert.InRange(await refused, 11.5, 12.5);
        Assert.Equal(Seconds, await retries.RunAsync((_, _) => Task.FromResult(Seconds), 0, "orders", CancellationToken.None));
    }

    [Fact]
    public void A_refusal_while_the_broker_is_left_alone_does_not_prolong_it()
    {
        var throttle = new Throttle(_time);
        throttle.OnBusy();
        _time.Advance(TimeSpan.FromSeconds(6));
        throttle.OnBusy();
        Assert.False(throttle.WaitAsync(TimeSpan.FromMinutes(1), CancellationToken.None).IsCompleted);

        _time.Advance(TimeSpan.FromSeconds(4));

        Assert.True(throttle.WaitAsync(TimeSpan.FromMinutes(1), CancellationToken.None).IsCompleted);
    }

    [Fact]
    public async Task Tries_shorter_than_the_10_s_are_used_up_by_waiting()
    {
        var tries = 0;
        var run = With(new() { MaxRetries = 2, TryTimeout = TimeSpan.FromSeconds(3) }).RunAsync(
            (_, _) => Failing(ref tries, Busy), 0, "orders", CancellationToken.None);
        await AdvanceUntilOverAsync(run);

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => run);

        Assert.Equal((1, ServiceBusFailureReason.ServiceBusy, "orders"), (tries, error.Reason, error.EntityPath));
        // The wait before the second try, which then waits as the third does.
        Assert.InRange(Seconds, 7.5, 8.5);
    }

    [Fact]
    public async Task Short_tries_go_on_when_the_10_s_are_over()
    {
        var run = With(new() { MaxRetries = 5, TryTimeout = TimeSpan.FromSeconds(3) }).RunAsync(
            (_, _) => _time.GetTimestamp() == 0 ? Failure(Busy) : Task.FromResult(Seconds), 0, "orders", CancellationToken.None);
        await AdvanceUntilOverAsync(run);

        Assert.InRange(await run, 10, 11.5);
    }

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
        _time.Advance(TimeSpan.FromSeconds(1.7));
        await Eventually.HoldsAsync(() => tries == 2);
        _time.Advance(TimeSpan.FromSeconds(3.3));

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
        _time.Advance(TimeSpan.FromSeconds(1.7));

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
        _time.Advance(TimeSpan.FromSeconds(60));

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

    private static ServiceBusException Busy => new("Too many requests.", ServiceBusFailureReason.ServiceBusy);

    private double Seconds => _time.GetElapsedTime(0).TotalSeconds;

    private static Task<double> Failure(Exception error) => Task.FromException<double>(error);

    private static Task<double> Failing(ref int tries, Exception error)
    {
        tries++;
        return Failure(error);
    }

    /// <summary>In steps, so that waits which begin on the way begin near their time.</summary>
    private Task AdvanceUntilOverAsync(Task run) => Eventually.HoldsAsync(() =>
    {
        if (!run.IsCompleted)
            _time.Advance(TimeSpan.FromSeconds(0.1));
        return run.IsCompleted;
    });

    private Retries Retries(int maxRetries = 3) => With(new ServiceBusRetryOptions { MaxRetries = maxRetries });

    private Retries With(ServiceBusRetryOptions options) => new(options, _time, new Random(1));

    private sealed class TwoMoreTries : ServiceBusRetryPolicy
    {
        public List<int> Timeouts { get; } = [];

        public List<(Exception Error, int Attempts)> Failures { get; } = [];

        public override TimeSpan CalculateTryTimeout(int attemptCount)
        {
            Timeouts.Add(attemptCount);
            return TimeSpan.FromSeconds(0.2 * (1 + attemptCount));
        }

        public override TimeSpan? CalculateRetryDelay(Exception lastException, int attemptCount)
        {
            Failures.Add((lastException, attemptCount));
            return attemptCount < 3 ? TimeSpan.FromSeconds(0.5) : null;
        }
    }
}
