using StackExchange.Redis;

namespace DroneDelivery.Lab.Tests.Processes;

public sealed class RedisServerTests
{
    [Fact]
    public async Task Full_Redis_rejects_writes_and_evicts_no_delivery()
    {
        await using var fixture = await RedisFixture.StartAsync(Cancel);
        await RedisServer.LimitAsync(fixture.ConnectionString, KnobSet.Parse(["redis.maxMemory=5mb"]));
        await using var redis = await RedisServer.OpenAsync(fixture.ConnectionString);
        var (database, written) = (redis.GetDatabase(), 0);

        var full = await Assert.ThrowsAsync<RedisServerException>(async () =>
        {
            while (written < 1_000)
            {
                await database.StringSetAsync($"delivery:{written}", new byte[100_000], TimeSpan.FromDays(30));
                written++;
            }
        });

        Assert.StartsWith("OOM", full.Message, StringComparison.Ordinal);
        Assert.Equal(written, (await RedisServer.ReadAsync(fixture.ConnectionString)).Keys);
    }
}
