using DroneDelivery.Delivery;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>The service on a Redis and a clock of its own.</summary>
internal sealed class DeliveryUnderTest : IAsyncDisposable
{
    private readonly ServiceHost<DeliveryStore> _service;

    private DeliveryUnderTest(RedisFixture redis, Dictionary<string, string?> settings)
    {
        Redis = redis;
        _service = ServiceHost<DeliveryStore>.Start(
            new Dictionary<string, string?> { ["Redis:ConnectionString"] = redis.ConnectionString }.And(settings), time: Time);
        Http = _service.CreateClient();
    }

    public RedisFixture Redis { get; }

    public ManualTimeProvider Time { get; } = new(new(2030, 1, 1, 8, 0, 0, TimeSpan.Zero));

    public HttpClient Http { get; }

    public RecordedLogs Logs => _service.Logs;

    public static async Task<DeliveryUnderTest> StartAsync(Dictionary<string, string?>? settings = null)
    {
        Assert.SkipUnless(RedisFixture.IsInstalled, RedisFixture.HowToInstall);
        return new DeliveryUnderTest(await RedisFixture.StartAsync(TestContext.Current.CancellationToken), settings ?? []);
    }

    public Task<string> RedisAsync(string command) => Redis.CommandAsync(command, TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await _service.DisposeAsync();
        await Redis.DisposeAsync();
    }
}
