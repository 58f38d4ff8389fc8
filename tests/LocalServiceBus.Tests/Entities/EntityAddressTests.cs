namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class EntityAddressTests : IDisposable
{
    private readonly ServiceBusNamespace _entities = new(new ManualTimeProvider());

    public void Dispose() => _entities.Dispose();

    [Theory]
    [InlineData("team/orders", NodeKind.Entity, 0)]
    [InlineData("/team/orders", NodeKind.Entity, 0)]
    [InlineData("TEAM/Orders/", NodeKind.Entity, 0)]
    [InlineData("amqps://host/team/orders", NodeKind.Entity, 0)]
    [InlineData("amqp://host:5672/team/orders", NodeKind.Entity, 0)]
    [InlineData("sb://host/team/orders", NodeKind.Entity, 0)]
    [InlineData("sb://host/team%2Forders", NodeKind.Entity, 0)]
    [InlineData("team/orders/$DeadLetterQueue", NodeKind.Entity, 1)]
    [InlineData("amqps://host/team/orders/$DEADLETTERQUEUE/$management", NodeKind.Management, 1)]
    [InlineData("team/orders/$Transfer/$DeadLetterQueue", NodeKind.Entity, 2)]
    [InlineData("TEAM/ORDERS/$transfer/$deadletterqueue/$management", NodeKind.Management, 2)]
    public void Every_spelling_of_an_address_finds_its_queue(string address, object kind, int which)
    {
        var orders = _entities.Create(new QueueOptions("team/orders"));
        Queue[] queues = [orders, orders.DeadLetterQueue!, orders.TransferDeadLetterQueue!];
        var parsed = EntityAddress.Parse(address);
        Assert.Equal(kind, parsed.Kind);
        Assert.Same(queues[which], parsed.FindSource(_entities));
        Assert.Null(EntityAddress.Parse("team/orders/$Transfer").FindSource(_entities));
    }
}
