namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class EntityAddressTests : IDisposable
{
    private readonly ServiceBusNamespace _entities = new(new ManualTimeProvider());

    public void Dispose() => _entities.Dispose();

    [Theory]
    [InlineData("team/orders")]
    [InlineData("/team/orders")]
    [InlineData("TEAM/Orders/")]
    [InlineData("amqps://host/team/orders")]
    [InlineData("amqp://host:5672/team/orders")]
    [InlineData("sb://host/team/orders")]
    [InlineData("sb://host/team%2Forders")]
    public void Every_way_of_writing_a_queue_finds_it(string address)
    {
        var queue = _entities.Create(new QueueOptions("team/orders"));
        var parsed = EntityAddress.Parse(address);
        Assert.Equal(NodeKind.Entity, parsed.Kind);
        Assert.Same(queue, parsed.FindSource(_entities));
    }

    [Theory]
    [InlineData("orders/$DeadLetterQueue", NodeKind.Entity, false)]
    [InlineData("orders/$deadletterqueue", NodeKind.Entity, false)]
    [InlineData("amqps://host/orders/$DEADLETTERQUEUE/$management", NodeKind.Management, false)]
    [InlineData("orders/$Transfer/$DeadLetterQueue", NodeKind.Entity, true)]
    [InlineData("ORDERS/$transfer/$deadletterqueue/$management", NodeKind.Management, true)]
    public void Both_dead_letter_queues_are_found_under_their_queue(string address, object kind, bool isTransfer)
    {
        var queue = _entities.Create(new QueueOptions("orders"));
        var parsed = EntityAddress.Parse(address);
        Assert.Equal(kind, parsed.Kind);
        Assert.Same(isTransfer ? queue.TransferDeadLetterQueue : queue.DeadLetterQueue, parsed.FindSource(_entities));
        Assert.Null(EntityAddress.Parse("orders/$Transfer").FindSource(_entities));
    }
}
