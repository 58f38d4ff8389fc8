namespace Azure.Messaging.ServiceBus.Tests.Sender;

public sealed class BatchSizeTests
{
    [Theory]
    [InlineData(0, 0, long.MaxValue)]
    [InlineData(1000, 0, 1000)]
    [InlineData(1000, 500, 500)]
    [InlineData(1000, 2000, 1000)]
    public async Task A_batch_is_as_large_as_the_broker_takes_batches_and_messages(ulong message, ulong batch, long expected)
    {
        await using var server = new ScriptedServer(TimeProvider.System) { Largest = (message, batch) };
        await using var client = new ServiceBusClient(server.ConnectionString);
        using var created = await client.CreateSender("orders").CreateMessageBatchAsync(TestContext.Current.CancellationToken);
        Assert.Equal(expected, created.MaxSizeInBytes);
    }
}
