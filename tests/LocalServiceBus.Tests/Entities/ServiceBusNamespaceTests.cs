namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class ServiceBusNamespaceTests : IDisposable
{
    private readonly ServiceBusNamespace _entities = new(new ManualTimeProvider());

    public void Dispose() => _entities.Dispose();

    [Fact]
    public void Update_keeps_the_name_and_rejects_fixed_options()
    {
        _entities.Create(new QueueOptions("Orders"));
        var queue = _entities.Update(new QueueOptions("orders") { MaxDeliveryCount = 3 });
        Assert.Equal(("Orders", 3), (queue.Name, queue.Options.MaxDeliveryCount));
        QueueOptions[] others =
        [
            new("orders") { RequiresDuplicateDetection = true },
            new("orders") { RequiresSession = true },
        ];
        Assert.All(others, options =>
            Assert.Equal(EntityFailure.InvalidOption, FailureOf(() => _entities.Update(options)))
        );
        Assert.Equal(EntityFailure.NotFound, FailureOf(() => _entities.Update(new QueueOptions("nobody"))));
    }

    [Fact]
    public void Namespace_allows_ten_thousand_queues()
    {
        for (var i = 0; i < 10_000; i++)
            _entities.Create(new QueueOptions($"q{i}"));
        Assert.Equal(EntityFailure.QuotaExceeded, FailureOf(() => _entities.Create(new QueueOptions("more"))));
        _entities.Delete("q7");
        _entities.Create(new QueueOptions("more"));
    }

    private static EntityFailure FailureOf(Action action) => Assert.Throws<EntityException>(action).Failure;
}
