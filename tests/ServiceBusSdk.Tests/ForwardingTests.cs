namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class ForwardingTests(ClockedBus bus) : BusTest(bus), IClassFixture<ClockedBus>
{
    [Fact]
    public async Task Dead_letter_waits_until_its_target_accepts_messages()
    {
        var target = await CreateQueueAsync(options => options.Status = EntityStatus.SendDisabled);
        var queue = await CreateQueueAsync(options => options.ForwardDeadLetteredMessagesTo = target);
        await SendAsync(queue, 1);
        var receiver = Receiver(queue);
        await receiver.DeadLetterMessageAsync(await OneAsync(receiver), "why", cancellationToken: Cancelled);
        await Eventually.TrueAsync(async () => await CountsAsync(queue) is { DeadLetterMessageCount: 1 });
        bus.Clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(0, (await CountsAsync(queue)).TransferDeadLetterMessageCount);

        var properties = (await Admin.GetQueueAsync(target, Cancelled)).Value;
        properties.Status = EntityStatus.Active;
        await Admin.UpdateQueueAsync(properties, Cancelled);
        await Eventually.TrueAsync(async () =>
        {
            bus.Clock.Advance(TimeSpan.FromSeconds(1));
            return await CountsAsync(queue) is { DeadLetterMessageCount: 0 };
        });

        Assert.Equal("why", (await OneAsync(Receiver(target))).DeadLetterReason);
        Assert.Equal(0, (await CountsAsync(queue)).TransferDeadLetterMessageCount);
    }

    private async Task<QueueRuntimeProperties> CountsAsync(string queue) =>
        (await Admin.GetQueueRuntimePropertiesAsync(queue, Cancelled)).Value;
}
