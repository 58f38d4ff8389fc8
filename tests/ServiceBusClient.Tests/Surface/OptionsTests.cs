using Azure.Messaging.ServiceBus.Administration;

namespace Azure.Messaging.ServiceBus.Tests.Surface;

/// <summary>Defaults and limits of the options, as the SDK documents them.</summary>
public sealed class OptionsTests
{
    [Fact]
    public void Defaults()
    {
        var retry = new ServiceBusRetryOptions();
        var processor = new ServiceBusProcessorOptions();
        var receiver = new ServiceBusReceiverOptions();

        Assert.Equal((ServiceBusRetryMode.Exponential, 3), (retry.Mode, retry.MaxRetries));
        Assert.Equal((0.8, 60, 60), (retry.Delay.TotalSeconds, retry.MaxDelay.TotalSeconds, retry.TryTimeout.TotalSeconds));
        Assert.Equal((0, 1, true), (processor.PrefetchCount, processor.MaxConcurrentCalls, processor.AutoCompleteMessages));
        Assert.Equal(
            (TimeSpan.FromMinutes(5), ServiceBusReceiveMode.PeekLock),
            (processor.MaxAutoLockRenewalDuration, processor.ReceiveMode));
        Assert.Equal((0, ServiceBusReceiveMode.PeekLock, SubQueue.None), (receiver.PrefetchCount, receiver.ReceiveMode, receiver.SubQueue));
        Assert.Equal(TimeSpan.FromMinutes(1), new ServiceBusClientOptions().ConnectionIdleTimeout);
        var sessions = new ServiceBusSessionProcessorOptions();
        Assert.Equal((8, 1, 0), (sessions.MaxConcurrentSessions, sessions.MaxConcurrentCallsPerSession, sessions.PrefetchCount));
        Assert.Equal(
            (TimeSpan.FromMinutes(5), ServiceBusReceiveMode.PeekLock, true),
            (sessions.MaxAutoLockRenewalDuration, sessions.ReceiveMode, sessions.AutoCompleteMessages));
        Assert.Equal((null, 0), (sessions.SessionIdleTimeout, sessions.SessionIds.Count));
    }

    [Fact]
    public void The_ends_of_a_range_are_in_it()
    {
        var retry = new ServiceBusRetryOptions
        {
            MaxRetries = 0,
            Delay = TimeSpan.FromMilliseconds(1),
            MaxDelay = TimeSpan.Zero,
            TryTimeout = TimeSpan.FromTicks(1),
        };
        retry.MaxRetries = 100;
        retry.Delay = TimeSpan.FromMinutes(5);
        retry.MaxDelay = TimeSpan.MaxValue;
        retry.TryTimeout = TimeSpan.FromHours(1);
        _ = new ServiceBusProcessorOptions { PrefetchCount = 0, MaxConcurrentCalls = 1, MaxAutoLockRenewalDuration = TimeSpan.Zero };
        _ = new ServiceBusProcessorOptions { MaxAutoLockRenewalDuration = Timeout.InfiniteTimeSpan };
        _ = new ServiceBusReceiverOptions { PrefetchCount = 0 };
        _ = new ServiceBusClientOptions { ConnectionIdleTimeout = TimeSpan.Zero };
        _ = new CreateMessageBatchOptions { MaxSizeInBytes = 24 };
        _ = new CreateQueueOptions("q") { LockDuration = TimeSpan.FromTicks(1), MaxDeliveryCount = 1 };
    }

    [Fact]
    public void What_is_out_of_range_names_its_option()
    {
        var retry = new ServiceBusRetryOptions();
        Refused("MaxRetries", () => retry.MaxRetries = -1, () => retry.MaxRetries = 101);
        Refused("Delay", () => retry.Delay = TimeSpan.Zero, () => retry.Delay = TimeSpan.FromMinutes(5) + TimeSpan.FromTicks(1));
        Refused("MaxDelay", () => retry.MaxDelay = TimeSpan.FromTicks(-1));
        Refused(
            "TryTimeout",
            () => retry.TryTimeout = TimeSpan.Zero,
            () => retry.TryTimeout = TimeSpan.FromHours(1) + TimeSpan.FromTicks(1));
        Refused(
            "PrefetchCount",
            () => new ServiceBusProcessorOptions().PrefetchCount = -1,
            () => new ServiceBusReceiverOptions().PrefetchCount = -1);
        Refused("MaxConcurrentCalls", () => new ServiceBusProcessorOptions().MaxConcurrentCalls = 0);
        Refused("MaxAutoLockRenewalDuration", () => new ServiceBusProcessorOptions().MaxAutoLockRenewalDuration = TimeSpan.FromTicks(-1));
        Refused("ConnectionIdleTimeout", () => new ServiceBusClientOptions().ConnectionIdleTimeout = TimeSpan.FromTicks(-1));
        Refused("PrefetchCount", () => new ServiceBusSessionReceiverOptions().PrefetchCount = -1);
        var sessions = new ServiceBusSessionProcessorOptions();
        Refused("PrefetchCount", () => sessions.PrefetchCount = -1);
        Refused("MaxConcurrentSessions", () => sessions.MaxConcurrentSessions = 0);
        Refused("MaxConcurrentCallsPerSession", () => sessions.MaxConcurrentCallsPerSession = 0);
        Refused("MaxAutoLockRenewalDuration", () => sessions.MaxAutoLockRenewalDuration = TimeSpan.FromTicks(-1));
        Refused("SessionIdleTimeout", () => sessions.SessionIdleTimeout = TimeSpan.Zero);
        Refused("MaxSizeInBytes", () => new CreateMessageBatchOptions().MaxSizeInBytes = 23);
        Refused("LockDuration", () => new CreateQueueOptions("q").LockDuration = TimeSpan.Zero);
        Refused("MaxDeliveryCount", () => new CreateQueueOptions("q").MaxDeliveryCount = 0);
    }

    [Fact]
    public async Task A_client_keeps_the_options_that_it_was_made_with()
    {
        var options = new ServiceBusClientOptions { RetryOptions = { MaxRetries = 0 }, Identifier = "mine" };
        await using var client = new ServiceBusClient(
            "Endpoint=sb://127.0.0.1:1;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true", options);
        options.RetryOptions.MaxRetries = 100;

        await Assert.ThrowsAsync<ServiceBusException>(
            () => client.CreateSender("orders").SendMessageAsync(new("x"), TestContext.Current.CancellationToken));

        Assert.Equal("mine", client.Identifier);
    }

    [Theory]
    [InlineData(SubQueue.None, "orders")]
    [InlineData(SubQueue.DeadLetter, "orders/$DeadLetterQueue")]
    [InlineData(SubQueue.TransferDeadLetter, "orders/$Transfer/$DeadLetterQueue")]
    public void A_part_of_a_queue_has_its_address(SubQueue part, string path) => Assert.Equal(path, SubQueuePath.Of("orders", part));

    [Fact]
    public void An_exception_says_why_and_where()
    {
        Assert.Equal(
            "gone (MessageLockLost; entity 'orders')",
            new ServiceBusException("gone", ServiceBusFailureReason.MessageLockLost, "orders").Message);
        Assert.Equal("gone (GeneralError)", new ServiceBusException(isTransient: true, "gone").Message);
    }

    private static void Refused(string option, params Action[] sets) =>
        Assert.All(sets, set => Assert.Equal(option, Assert.ThrowsAny<ArgumentOutOfRangeException>(set).ParamName));
}
