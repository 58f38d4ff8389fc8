using System.Collections.Concurrent;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Processor;

/// <summary>A broker that refuses is not asked as fast as it can answer.</summary>
public sealed class ErrorPauseTests : IAsyncLifetime
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(5);

    private readonly ManualTimeProvider _time = new();
    private readonly ConcurrentQueue<ProcessErrorEventArgs> _errors = [];
    private ScriptedServer _server = null!;
    private ServiceBusClient _client = null!;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        _server = new ScriptedServer(_time) { Status = 404 };
        var options = new ServiceBusClientOptions
        {
            TimeProvider = _time,
            ConnectionIdleTimeout = TimeSpan.Zero,
            RetryOptions = { MaxRetries = 0, Delay = Pause },
        };
        _client = new ServiceBusClient(_server.ConnectionString, options);
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task A_receive_that_failed_is_tried_again_after_the_delay_of_the_retry_options_and_not_before()
    {
        await using var processor = _client.CreateProcessor("orders");
        processor.ProcessMessageAsync += _ => Task.CompletedTask;
        processor.ProcessErrorAsync += args =>
        {
            _errors.Enqueue(args);
            return Task.CompletedTask;
        };

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => !_errors.IsEmpty);

        // Others are refused meanwhile, one after the other: time enough for many more tries.
        for (var other = 0; other < 20; other++)
            await Assert.ThrowsAsync<ServiceBusException>(OpenAnotherAsync);
        Assert.Single(_errors);
        await Eventually.HoldsAsync(() =>
        {
            _time.Advance(Pause);
            return _errors.Count > 1;
        });
    }

    private async Task OpenAnotherAsync() => await _client.CreateSender("other").CreateMessageBatchAsync(Cancelled);
}
