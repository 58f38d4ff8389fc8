using Azure.Messaging.ServiceBus.Administration;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Administration;

public sealed class QueueAdministrationTests : IAsyncLifetime
{
    private BrokerFixture _broker = null!;
    private ServiceBusAdministrationClient _client = null!;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _broker = await BrokerFixture.StartAsync(cancellationToken: Cancelled);
        _client = new ServiceBusAdministrationClient(_broker.ConnectionString);
    }

    public ValueTask DisposeAsync() => _broker.DisposeAsync();

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

        var created = await _client.CreateQueueAsync(options, Cancelled);
        var read = await _client.GetQueueAsync("orders", Cancelled);

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
        await _client.CreateQueueAsync(new CreateQueueOptions("orders") { MaxDeliveryCount = 3 }, Cancelled);
        QueueProperties queue = await _client.GetQueueAsync("orders", Cancelled);

        queue.LockDuration = TimeSpan.FromSeconds(5);
        QueueProperties updated = await _client.UpdateQueueAsync(queue, Cancelled);

        Assert.Equal(TimeSpan.FromSeconds(5), updated.LockDuration);
        Assert.Equal(3, updated.MaxDeliveryCount);
    }

    [Fact]
    public async Task A_queue_exists_from_its_creation_to_its_deletion()
    {
        Assert.False(await _client.QueueExistsAsync("orders", Cancelled));
        await _client.CreateQueueAsync("orders", Cancelled);
        Assert.True(await _client.QueueExistsAsync("orders", Cancelled));
        await _client.DeleteQueueAsync("orders", Cancelled);
        Assert.False(await _client.QueueExistsAsync("orders", Cancelled));
    }

    [Fact]
    public async Task Creating_a_queue_twice_says_that_it_exists()
    {
        await _client.CreateQueueAsync("orders", Cancelled);

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => _client.CreateQueueAsync("orders", Cancelled));

        Assert.Equal(ServiceBusFailureReason.MessagingEntityAlreadyExists, error.Reason);
        Assert.False(error.IsTransient);
    }

    [Fact]
    public async Task What_does_not_exist_is_not_found()
    {
        var read = await Assert.ThrowsAsync<ServiceBusException>(() => _client.GetQueueAsync("nowhere", Cancelled));
        var counts = await Assert.ThrowsAsync<ServiceBusException>(() => _client.GetQueueRuntimePropertiesAsync("nowhere", Cancelled));
        var deleted = await Assert.ThrowsAsync<ServiceBusException>(() => _client.DeleteQueueAsync("nowhere", Cancelled));

        Assert.All([read, counts, deleted], error => Assert.Equal(ServiceBusFailureReason.MessagingEntityNotFound, error.Reason));
    }

    [Fact]
    public async Task A_list_longer_than_a_page_is_read_to_its_end()
    {
        string[] names = [.. Enumerable.Range(0, 105).Select(number => $"queue-{number:000}")];
        foreach (var name in names)
            _broker.CreateQueue(name: name);

        var listed = new List<string>();
        await foreach (var queue in _client.GetQueuesAsync(Cancelled))
            listed.Add(queue.Name);

        Assert.Superset(names.ToHashSet(), listed.ToHashSet());
        Assert.Equal(listed.Count, listed.Distinct().Count());
    }

    [Fact]
    public async Task Runtime_properties_count_from_zero()
    {
        await _client.CreateQueueAsync("orders", Cancelled);

        QueueRuntimeProperties counts = await _client.GetQueueRuntimePropertiesAsync("orders", Cancelled);

        Assert.Equal("orders", counts.Name);
        Assert.Equal(0, counts.TotalMessageCount);
        Assert.NotEqual(default, counts.CreatedAt);
    }

    [Fact]
    public async Task A_bad_value_is_an_argument_error_that_says_what_is_wrong()
    {
        await _client.CreateQueueAsync("orders", Cancelled);
        QueueProperties queue = await _client.GetQueueAsync("orders", Cancelled);
        queue.MaxDeliveryCount = 0;

        var error = await Assert.ThrowsAsync<ArgumentException>(() => _client.UpdateQueueAsync(queue, Cancelled));

        Assert.Contains("MaxDeliveryCount", error.Message, StringComparison.Ordinal);
    }
}
