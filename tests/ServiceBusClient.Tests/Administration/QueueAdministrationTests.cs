using Azure.Messaging.ServiceBus.Administration;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Administration;

public sealed class QueueAdministrationTests : IAsyncLifetime
{
    private BrokerFixture broker = null!;
    private ServiceBusAdministrationClient client = null!;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        broker = await BrokerFixture.StartAsync(cancellationToken: Cancelled);
        client = new ServiceBusAdministrationClient(broker.ConnectionString);
    }

    public ValueTask DisposeAsync() => broker.DisposeAsync();

    [Fact]
    public async Task A_created_queue_has_what_was_asked_for()
    {
        var options = new CreateQueueOptions("orders")
        {
            LockDuration = TimeSpan.FromSeconds(7.5),
            MaxDeliveryCount = 3,
            DefaultMessageTimeToLive = TimeSpan.FromHours(1),
            DeadLetteringOnMessageExpiration = true,
        };

        var created = await client.CreateQueueAsync(options, Cancelled);
        var read = await client.GetQueueAsync("orders", Cancelled);

        Assert.Equal(201, created.GetRawResponse().Status);
        Assert.Equal("orders", read.Value.Name);
        Assert.Equal(TimeSpan.FromSeconds(7.5), read.Value.LockDuration);
        Assert.Equal(3, read.Value.MaxDeliveryCount);
        Assert.Equal(TimeSpan.FromHours(1), read.Value.DefaultMessageTimeToLive);
        Assert.True(read.Value.DeadLetteringOnMessageExpiration);
    }

    [Fact]
    public async Task An_update_changes_what_was_changed_and_keeps_the_rest()
    {
        await client.CreateQueueAsync(new CreateQueueOptions("orders") { MaxDeliveryCount = 3 }, Cancelled);
        QueueProperties queue = await client.GetQueueAsync("orders", Cancelled);

        queue.LockDuration = TimeSpan.FromSeconds(5);
        QueueProperties updated = await client.UpdateQueueAsync(queue, Cancelled);

        Assert.Equal(TimeSpan.FromSeconds(5), updated.LockDuration);
        Assert.Equal(3, updated.MaxDeliveryCount);
    }

    [Fact]
    public async Task A_queue_exists_from_its_creation_to_its_deletion()
    {
        Assert.False(await client.QueueExistsAsync("orders", Cancelled));
        await client.CreateQueueAsync("orders", Cancelled);
        Assert.True(await client.QueueExistsAsync("orders", Cancelled));
        await client.DeleteQueueAsync("orders", Cancelled);
        Assert.False(await client.QueueExistsAsync("orders", Cancelled));
    }

    [Fact]
    public async Task Creating_a_queue_twice_says_that_it_exists()
    {
        await client.CreateQueueAsync("orders", Cancelled);

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => client.CreateQueueAsync("orders", Cancelled));

        Assert.Equal(ServiceBusFailureReason.MessagingEntityAlreadyExists, error.Reason);
        Assert.False(error.IsTransient);
    }

    [Fact]
    public async Task What_does_not_exist_is_not_found()
    {
        var read = await Assert.ThrowsAsync<ServiceBusException>(() => client.GetQueueAsync("nowhere", Cancelled));
        var counts = await Assert.ThrowsAsync<ServiceBusException>(() => client.GetQueueRuntimePropertiesAsync("nowhere", Cancelled));
        var deleted = await Assert.ThrowsAsync<ServiceBusException>(() => client.DeleteQueueAsync("nowhere", Cancelled));

        Assert.All([read, counts, deleted], error => Assert.Equal(ServiceBusFailureReason.MessagingEntityNotFound, error.Reason));
    }

    [Fact]
    public async Task A_list_longer_than_a_page_is_read_to_its_end()
    {
        string[] names = [.. Enumerable.Range(0, 105).Select(number => $"queue-{number:000}")];
        foreach (var name in names)
            broker.CreateQueue(name: name);

        var listed = new List<string>();
        await foreach (var queue in client.GetQueuesAsync(Cancelled))
            listed.Add(queue.Name);

        Assert.Superset(names.ToHashSet(), listed.ToHashSet());
        Assert.Equal(listed.Count, listed.Distinct().Count());
    }

    [Fact]
    public async Task Runtime_properties_count_from_zero()
    {
        await client.CreateQueueAsync("orders", Cancelled);

        QueueRuntimeProperties counts = await client.GetQueueRuntimePropertiesAsync("orders", Cancelled);

        Assert.Equal("orders", counts.Name);
        Assert.Equal(0, counts.TotalMessageCount);
        Assert.NotEqual(default, counts.CreatedAt);
    }

    [Fact]
    public async Task A_bad_value_is_an_argument_error_that_says_what_is_wrong()
    {
        await client.CreateQueueAsync("orders", Cancelled);
        QueueProperties queue = await client.GetQueueAsync("orders", Cancelled);
        queue.MaxDeliveryCount = 0;

        var error = await Assert.ThrowsAsync<ArgumentException>(() => client.UpdateQueueAsync(queue, Cancelled));

        Assert.Contains("MaxDeliveryCount", error.Message, StringComparison.Ordinal);
    }
}
