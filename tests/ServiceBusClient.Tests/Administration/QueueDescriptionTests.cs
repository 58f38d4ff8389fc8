using System.Xml.Linq;
using Azure.Messaging.ServiceBus.Administration;

namespace Azure.Messaging.ServiceBus.Tests.Administration;

public sealed class QueueDescriptionTests
{
    private static readonly XNamespace Bus = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";

    /// <summary>Nothing of it is as the defaults are.</summary>
    private static CreateQueueOptions Unusual => new("orders")
    {
        LockDuration = TimeSpan.FromSeconds(1.5),
        MaxDeliveryCount = 2,
        MaxSizeInMegabytes = 3,
        MaxMessageSizeInKilobytes = 4,
        DefaultMessageTimeToLive = TimeSpan.FromDays(5),
        DeadLetteringOnMessageExpiration = true,
        RequiresSession = true,
        RequiresDuplicateDetection = true,
        DuplicateDetectionHistoryTimeWindow = TimeSpan.FromMinutes(6),
        ForwardTo = "next",
        ForwardDeadLetteredMessagesTo = "dead",
        AutoDeleteOnIdle = TimeSpan.FromHours(7),
        EnableBatchedOperations = false,
        EnablePartitioning = true,
        Status = EntityStatus.SendDisabled,
        UserMetadata = "mine",
    };

    [Fact]
    public void What_is_written_is_read_again_property_by_property()
    {
        var written = QueueDescription.Write(new QueueProperties(Unusual));
        var read = Atom.Single(written, QueueDescription.Root, (_, xml) => QueueDescription.Properties("orders", xml))!;
        var copy = new CreateQueueOptions(read);

        foreach (var property in typeof(CreateQueueOptions).GetProperties())
        {
            var wanted = property.GetValue(Unusual);
            Assert.Equal(wanted, property.GetValue(copy));
            if (property.Name != nameof(CreateQueueOptions.Name))
                Assert.NotEqual(wanted, property.GetValue(new CreateQueueOptions("orders")));
        }

        Assert.Empty(read.Unknown);
    }

    [Fact]
    public void The_elements_come_in_the_order_of_the_schema_and_what_is_not_set_is_left_out()
    {
        string[] all =
        [
            "LockDuration", "MaxSizeInMegabytes", "RequiresDuplicateDetection", "RequiresSession", "DefaultMessageTimeToLive",
            "DeadLetteringOnMessageExpiration", "DuplicateDetectionHistoryTimeWindow", "MaxDeliveryCount",
            "EnableBatchedOperations", "Status", "ForwardTo", "UserMetadata", "AutoDeleteOnIdle", "EnablePartitioning",
            "ForwardDeadLetteredMessagesTo", "MaxMessageSizeInKilobytes",
        ];
        string[] unset =
        [
            "DefaultMessageTimeToLive", "DuplicateDetectionHistoryTimeWindow", "ForwardTo", "UserMetadata", "AutoDeleteOnIdle",
            "ForwardDeadLetteredMessagesTo", "MaxMessageSizeInKilobytes",
        ];

        Assert.Equal(all, ElementsOf(new QueueProperties(Unusual)));
        Assert.Equal(all.Except(unset), ElementsOf(new QueueProperties("orders")));
    }

    [Fact]
    public void What_only_the_broker_knows_goes_back_to_it_and_what_it_counts_does_not()
    {
        var description = new XElement(
            Bus + "QueueDescription",
            new XElement(Bus + "MaxDeliveryCount", 7),
            new XElement(Bus + "NewInTheCloud", "x"),
            new XElement(Bus + "MessageCount", 5),
            new XElement(Bus + "ForwardTo", ""));

        var queue = QueueDescription.Properties("orders", description);

        Assert.Equal((7, null), (queue.MaxDeliveryCount, queue.ForwardTo));
        Assert.Equal("NewInTheCloud", ElementsOf(queue)[^1]);
        Assert.DoesNotContain("MessageCount", ElementsOf(queue));
    }

    [Fact]
    public void Every_count_has_its_own_element()
    {
        XNamespace counts = "http://schemas.microsoft.com/netservices/2011/06/servicebus";
        var at = new DateTimeOffset(2030, 1, 2, 3, 4, 5, TimeSpan.Zero);
        var description = new XElement(
            Bus + "QueueDescription",
            new XElement(Bus + "SizeInBytes", 1),
            new XElement(Bus + "MessageCount", 2),
            new XElement(Bus + "CreatedAt", "2030-01-02T03:04:05Z"),
            new XElement(Bus + "UpdatedAt", "2030-01-02T04:04:05Z"),
            new XElement(Bus + "AccessedAt", "2030-01-02T05:04:05Z"),
            new XElement(
                Bus + "CountDetails",
                new XElement(counts + "ActiveMessageCount", 3),
                new XElement(counts + "DeadLetterMessageCount", 4),
                new XElement(counts + "ScheduledMessageCount", 5),
                new XElement(counts + "TransferMessageCount", 6),
                new XElement(counts + "TransferDeadLetterMessageCount", 7)));

        var queue = QueueDescription.RuntimeProperties("orders", description);

        Assert.Equal(("orders", 1, 2), (queue.Name, queue.SizeInBytes, queue.TotalMessageCount));
        Assert.Equal((3, 4, 5), (queue.ActiveMessageCount, queue.DeadLetterMessageCount, queue.ScheduledMessageCount));
        Assert.Equal((6, 7), (queue.TransferMessageCount, queue.TransferDeadLetterMessageCount));
        Assert.Equal((at, at.AddHours(1), at.AddHours(2)), (queue.CreatedAt, queue.UpdatedAt, queue.AccessedAt));
    }

    [Fact]
    public async Task Pages_are_asked_for_until_one_is_not_full()
    {
        var asked = new List<int>();
        var pages = new Pages<string>(
            (skip, _) =>
            {
                asked.Add(skip);
                var numbers = Enumerable.Range(skip, Math.Min(3, 6 - skip)).Select(number => $"{number}");
                return Task.FromResult<(IReadOnlyList<string>, Response)>(([.. numbers], null!));
            },
            pageSize: 3,
            CancellationToken.None);

        Assert.Equal(["0", "1", "2", "3", "4", "5"], await pages.ToListAsync(TestContext.Current.CancellationToken));
        Assert.Equal([0, 3, 6], asked);
        var tokens = new List<string?>();
        await foreach (var page in pages.AsPages("3"))
            tokens.Add(page.ContinuationToken);
        Assert.Equal(["6", null], tokens);
    }

    [Fact]
    public void A_status_is_its_name_whatever_its_case()
    {
        EntityStatus status = "active";

        Assert.True(status == EntityStatus.Active);
        Assert.True(status != EntityStatus.Disabled);
        Assert.Equal(EntityStatus.Active.GetHashCode(), status.GetHashCode());
        Assert.Equal(
            ["Active", "Disabled", "SendDisabled", "ReceiveDisabled"],
            new[] { EntityStatus.Active, EntityStatus.Disabled, EntityStatus.SendDisabled, EntityStatus.ReceiveDisabled }
                .Select(one => one.ToString()));
        Assert.Throws<ArgumentNullException>(() => (EntityStatus)(string)null!);
    }

    private static string[] ElementsOf(QueueProperties queue) =>
    [
        .. XElement.Parse(QueueDescription.Write(queue))
            .Descendants(Bus + "QueueDescription")
            .Elements()
            .Select(element => element.Name.LocalName),
    ];
}
