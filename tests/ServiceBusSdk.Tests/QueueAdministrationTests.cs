using System.Text.RegularExpressions;

namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class QueueAdministrationTests(Bus bus) : BusTest(bus)
{
    [Fact]
    public async Task Queue_keeps_the_description_that_it_was_created_with()
    {
        var options = new CreateQueueOptions(NewName("queue"))
        {
            LockDuration = TimeSpan.FromSeconds(45),
            MaxDeliveryCount = 7,
            MaxSizeInMegabytes = 2048,
            DefaultMessageTimeToLive = TimeSpan.FromDays(3),
            DeadLetteringOnMessageExpiration = true,
            RequiresDuplicateDetection = true,
            DuplicateDetectionHistoryTimeWindow = TimeSpan.FromMinutes(2),
            RequiresSession = true,
            AutoDeleteOnIdle = TimeSpan.FromHours(1),
            UserMetadata = "<of & ours>",
            EnableBatchedOperations = false,
        };

        var created = (await Admin.CreateQueueAsync(options, Cancelled)).Value;
        var read = (await Admin.GetQueueAsync(options.Name, Cancelled)).Value;

        Assert.Equal(options, new CreateQueueOptions(created) { MaxMessageSizeInKilobytes = null });
        Assert.Equal(created, read);
        Assert.Equal(EntityStatus.Active, read.Status);
        await Admin.DeleteQueueAsync(options.Name, Cancelled);
        Assert.False(await Admin.QueueExistsAsync(options.Name, Cancelled));
    }

    [Theory]
    [InlineData("MassTransit/Fault--Shop/Order--")]
    [InlineData("-x_")]
    [InlineData("~x.")]
    public async Task Queue_name_may_begin_or_end_with_punctuation(string name)
    {
        name = $"{name[0]}{Guid.NewGuid():N}/{name}";
        await Admin.CreateQueueAsync(name, Cancelled);

        await SendAsync(name, 1);

        Assert.Equal("1", (await OneAsync(Receiver(name))).MessageId);
        Assert.Equal(name, (await Admin.GetQueueAsync(name, Cancelled)).Value.Name);
        await Admin.DeleteQueueAsync(name, Cancelled);
    }

    [Fact]
    public async Task Partitioned_queue_reports_partitioning()
    {
        var queue = await CreateQueueAsync(options => options.EnablePartitioning = true);

        Assert.True((await Admin.GetQueueAsync(queue, Cancelled)).Value.EnablePartitioning);
    }

    [Fact]
    public async Task Queue_accepts_keys_of_its_own_rules()
    {
        var rule = new SharedAccessAuthorizationRule("sender", [AccessRights.Send]);
        var (queue, other) = (await CreateQueueAsync(it => it.AuthorizationRules.Add(rule)), await CreateQueueAsync());
        var read = Assert.IsType<SharedAccessAuthorizationRule>(
            Assert.Single((await Admin.GetQueueAsync(queue, Cancelled)).Value.AuthorizationRules)
        );
        Assert.Equal(
            (rule.KeyName, rule.PrimaryKey, rule.SecondaryKey, AccessRights.Send),
            (read.KeyName, read.PrimaryKey, read.SecondaryKey, Assert.Single(read.Rights))
        );
        ServiceBusClient Connect(string entity) =>
            Owned(
                new ServiceBusClient(
                    $"Endpoint={Regex.Match(TheBus.ConnectionString, "sb://[^;]*")};SharedAccessKeyName=sender;"
                        + $"SharedAccessKey={read.SecondaryKey};EntityPath={entity};UseDevelopmentEmulator={Bus.IsLocal}"
                )
            );
        var client = Connect(queue);

        await client.CreateSender(queue).SendMessageAsync(new ServiceBusMessage("one"), Cancelled);

        Assert.Equal("one", (await OneAsync(Receiver(queue))).Body.ToString());
        await Assert.ThrowsAsync<UnauthorizedAccessException>(() =>
            client.CreateReceiver(queue).PeekMessageAsync(cancellationToken: Cancelled)
        );
        await Assert.ThrowsAsync<UnauthorizedAccessException>(() =>
            Connect(other).CreateSender(other).SendMessageAsync(new ServiceBusMessage("two"), Cancelled)
        );
    }

    [Fact]
    public async Task Runtime_properties_count_messages_by_state()
    {
        var started = TimeProvider.System.GetUtcNow().AddMinutes(-5);
        var queue = await CreateQueueAsync();
        await SendAsync(queue, 4);
        await Client.CreateSender(queue).ScheduleMessageAsync(new("later"), started.AddHours(2), Cancelled);
        var receiver = Receiver(queue);
        await receiver.DeadLetterMessageAsync(await OneAsync(receiver), cancellationToken: Cancelled);
        await OneAsync(receiver);

        var counts = await Eventually.GetAsync(
            async () => (await Admin.GetQueueRuntimePropertiesAsync(queue, Cancelled)).Value,
            it => it.DeadLetterMessageCount == 1
        );

        // One of the active messages is locked.
        Assert.Equal(
            (3, 1, 1, 5),
            (
                counts.ActiveMessageCount,
                counts.DeadLetterMessageCount,
                counts.ScheduledMessageCount,
                counts.TotalMessageCount
            )
        );
        Assert.Equal((0, 0), (counts.TransferMessageCount, counts.TransferDeadLetterMessageCount));
        Assert.True(counts.SizeInBytes > 0);
        Assert.All([counts.CreatedAt, counts.UpdatedAt, counts.AccessedAt], time =>
            Assert.InRange(time, started, started.AddHours(1))
        );
    }

    [Fact]
    public async Task Existing_and_missing_queues_cause_specific_errors()
    {
        var queue = await CreateQueueAsync();
        var absent = NewName("queue");
        var properties = (await Admin.GetQueueAsync(queue, Cancelled)).Value;
        await Admin.DeleteQueueAsync(queue, Cancelled);
        var again = await CreateQueueAsync();

        await FailsAsync(ServiceBusFailureReason.MessagingEntityAlreadyExists, () =>
            Admin.CreateQueueAsync(again, Cancelled)
        );
        await FailsAsync(ServiceBusFailureReason.MessagingEntityNotFound, () => Admin.GetQueueAsync(absent, Cancelled));
        await FailsAsync(ServiceBusFailureReason.MessagingEntityNotFound, () =>
            Admin.GetQueueRuntimePropertiesAsync(absent, Cancelled)
        );
        await FailsAsync(ServiceBusFailureReason.MessagingEntityNotFound, () =>
            Admin.DeleteQueueAsync(absent, Cancelled)
        );
        await FailsAsync(ServiceBusFailureReason.MessagingEntityNotFound, () =>
            Admin.UpdateQueueAsync(properties, Cancelled)
        );
        Assert.True(await Admin.QueueExistsAsync(again, Cancelled));
        Assert.False(await Admin.QueueExistsAsync(absent, Cancelled));
    }
}
