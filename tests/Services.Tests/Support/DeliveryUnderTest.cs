using DroneDelivery.Delivery;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class DeliveryUnderTest : IAsyncDisposable
{
    private readonly ServiceHost<DeliveryStore> _service;

    private DeliveryUnderTest(RedisFixture redis, Dictionary<string, string?> settings)
    {
        Redis = redis;
        var defaults = new Dictionary<string, string?>
        {
            ["Redis:ConnectionString"] = redis.ConnectionString,
            ["Redis:OperationTimeout"] = "00:01:00", // Long enough for a busy machine.
        };
        _service = ServiceHost<DeliveryStore>.Start(defaults.And(settings), time: Time);
    }

    public RedisFixture Redis { get; }

    public ManualTimeProvider Time { get; } = new(new(2030, 1, 1, 8, 0, 0, TimeSpan.Zero));

    public HttpClient Http => _service.Http;

    public RecordedLogs Logs => _service.Logs;

    public static async Task<DeliveryUnderTest> StartAsync(Dictionary<string, string?>? settings = null)
    {
        var service = new DeliveryUnderTest(await RedisFixture.StartAsync(Cancelled), settings ?? []);
        await service.Http.ReadyAsync();
        return service;
    }

    public Task<string> RedisAsync(string command) => Redis.CommandAsync(command, Cancelled);

    public async ValueTask DisposeAsync()
    {
        await _service.DisposeAsync();
        await Redis.DisposeAsync();
    }
}
