using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;
using DroneDelivery.Workflow;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.Options;
using Settlement = DroneDelivery.Workflow.Receiving.Settlement;

namespace DroneDelivery.Services.Tests.Workflow;

/// <summary>How long a message waits until it is tried again, by a clock that stands still.</summary>
public sealed class FailureVerdictTests
{
    private readonly ManualTimeProvider _time = new();

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 2)]
    [InlineData(5, 16)]
    [InlineData(6, 30)] // 32 would be more than half of the lock
    [InlineData(10, 30)]
    public void A_failure_holds_the_message_for_AbandonDelay_doubled_each_time_and_never_beyond_half_of_its_lock(int delivery, int seconds)
    {
        var lockedUntil = _time.GetUtcNow().AddMinutes(1);
        var message = ServiceBusModelFactory.ServiceBusReceivedMessage(deliveryCount: delivery, lockedUntil: lockedUntil);

        var settlement = Verdict(new() { AbandonDelay = TimeSpan.FromSeconds(1) }).Of(new HttpRequestException("away"), message);

        Assert.Equal(TimeSpan.FromSeconds(seconds), Assert.IsType<Settlement.Abandon>(settlement).Delay);
    }

    [Fact]
    public void A_message_whose_lock_has_ended_is_not_held()
    {
        var message = ServiceBusModelFactory.ServiceBusReceivedMessage(deliveryCount: 1, lockedUntil: _time.GetUtcNow().AddSeconds(-1));

        var settlement = Verdict(new()).Of(new HttpRequestException("away"), message);

        Assert.Equal(TimeSpan.Zero, Assert.IsType<Settlement.Abandon>(settlement).Delay);
    }

    [Theory]
    [InlineData(null, 1)]
    [InlineData(1, 2)]
    [InlineData(9, 512)]
    public void What_comes_before_its_delivery_is_put_off_for_PostponeDelay_doubled_each_time(int? before, int seconds)
    {
        var properties = before is { } times ? new Dictionary<string, object> { [QueueMessage.PostponedProperty] = times } : [];
        var message = ServiceBusModelFactory.ServiceBusReceivedMessage(properties: properties);

        var settlement = Verdict(new() { PostponeDelay = TimeSpan.FromSeconds(1) }).Of(new NotRecordedYetException("not yet"), message);

        Assert.Equal(new Settlement.Postpone(TimeSpan.FromSeconds(seconds), (before ?? 0) + 1, "not yet"), settlement);
    }

    [Fact]
    public void What_has_come_before_its_delivery_ten_times_is_given_up_and_nothing_of_it_is_kept()
    {
        var properties = new Dictionary<string, object> { [QueueMessage.PostponedProperty] = 10 };
        var message = ServiceBusModelFactory.ServiceBusReceivedMessage(properties: properties);

        var settlement = Verdict(new()).Of(new NotRecordedYetException("not yet"), message);

        Assert.Equal(new Settlement.Complete(), settlement);
    }

    private FailureVerdict Verdict(WorkflowOptions options) => new(Options.Create(options), _time);
}
