namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class ServiceBusNamespaceTests : IDisposable
{
    private readonly ServiceBusNamespace _entities = new(new ManualTimeProvider());

    public void Dispose() => _entities.Dispose();

    [Fact]
    public void Names_compare_case_insensitively()
    {
        var queue = _entities.Create(new QueueOptions("Orders"));
        Assert.Same(queue, _entities.Get("oRDERS"));
        Assert.Equal(EntityFailure.AlreadyExists, FailureOf(() => _entities.Create(new QueueOptions("ORDERS"))));
    }

    [Fact]
    public void A_deleted_queue_is_gone_and_announced()
    {
        var queue = _entities.Create(new QueueOptions("orders"));
        Queue? announced = null;
        _entities.QueueClosed += deleted => announced = deleted;
        _entities.Delete("ORDERS");
        Assert.Same(queue, announced);
        Assert.Empty(_entities.Queues);
        Assert.Equal(EntityFailure.NotFound, FailureOf(() => _entities.Get("orders")));
        Assert.Equal(EntityFailure.NotFound, FailureOf(() => _entities.Delete("orders")));
        Assert.Equal(QueueResult.Disabled, queue.Enqueue([QueueFixture.Content("a")], new long[1]));
    }

    [Fact]
    public void An_update_keeps_the_name_and_refuses_what_cannot_change()
    {
        _entities.Create(new QueueOptions("Orders"));
        var queue = _entities.Update(new QueueOptions("orders") { MaxDeliveryCount = 3 });
        Assert.Equal(("Orders", 3), (queue.Name, queue.Options.MaxDeliveryCount));
        Assert.Equal(
            EntityFailure.InvalidOption,
            FailureOf(() => _entities.Update(new QueueOptions("orders") { RequiresDuplicateDetection = true })));
        Assert.Equal(EntityFailure.NotFound, FailureOf(() => _entities.Update(new QueueOptions("nobody"))));
    }

    [Fact]
    public void Beyond_ten_thousand_queues_there_is_room_only_after_a_deletion()
    {
        for (var i = 0; i < 10_000; i++)
            _entities.Create(new QueueOptions($"q{i}"));
        Assert.Equal(EntityFailure.QuotaExceeded, FailureOf(() => _entities.Create(new QueueOptions("more"))));
        _entities.Delete("q7");
        _entities.Create(new QueueOptions("more"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a$b")]
    [InlineData("/a")]
    public void A_bad_name_is_refused(string name) =>
        Assert.Equal(EntityFailure.InvalidOption, FailureOf(() => _entities.Create(new QueueOptions(name))));

    [Fact]
    public void A_bad_option_is_named()
    {
        Refuses(options => options with { LockDuration = TimeSpan.Zero }, "LockDuration");
        Refuses(options => options with { MaxDeliveryCount = 0 }, "MaxDeliveryCount");
        Refuses(options => options with { MaxSizeInMegabytes = 0 }, "MaxSizeInMegabytes");
        Refuses(options => options with { ForwardTo = "other" }, "ForwardTo");
    }

    private void Refuses(Func<QueueOptions, QueueOptions> change, string option)
    {
        var refusal = Assert.Throws<EntityException>(() => _entities.Create(change(new QueueOptions("orders"))));
        Assert.Contains(option, refusal.Message, StringComparison.Ordinal);
    }

    private static EntityFailure FailureOf(Action action) => Assert.Throws<EntityException>(action).Failure;
}
