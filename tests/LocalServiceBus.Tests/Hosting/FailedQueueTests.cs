using System.Net;
using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

/// <summary>A queue that failed because of a defect in the broker, as clients and operators see it.</summary>
public sealed class FailedQueueTests : WireTest
{
    private readonly ManualTimeProvider _clock = new();
    private readonly RecordedLog _log = new();
    private readonly FaultyTimeProvider _faulty;

    public FailedQueueTests() => _faulty = new FaultyTimeProvider(_clock);

    private protected override LocalServiceBusOptions Options =>
        new()
        {
            Port = 0,
            TimeProvider = _faulty,
            LoggerFactory = _log,
        };

    [Fact]
    public async Task Failure_is_reported_everywhere_and_a_new_queue_works()
    {
        var queue = _broker.CreateQueue(name: "orders");
        var receiver = await _client.ReceiverAsync("orders", 10);
        var deadLetters = await _client.ReceiverAsync("orders/$DeadLetterQueue", 10);

        await FailAsync(queue);

        foreach (var error in (AmqpError?[])[await receiver.Detached, await deadLetters.Detached])
        {
            Assert.Equal(ErrorConditions.InternalError, error!.Condition.Value);
            Assert.Contains("create it again", error.Description, StringComparison.Ordinal);
        }
        var refusal = await Assert.ThrowsAsync<AmqpException>(() => _client.SenderAsync("orders"));
        Assert.Contains("has failed", refusal.Error.Description, StringComparison.Ordinal);
        await _client.SenderAsync("delivery-requests");
        using var health = await _http.GetAsync(new Uri("/health", UriKind.Relative), Cancel);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, health.StatusCode);
        Assert.Contains("orders", await health.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        using (
            var counters = JsonDocument.Parse(
                await _http.GetStringAsync(new Uri("/$counters", UriKind.Relative), Cancel)
            )
        )
        {
            Assert.Equal(1, counters.RootElement.GetProperty("defects").GetInt64());
            var queues = counters.RootElement.GetProperty("queues");
            Assert.True(queues.GetProperty("orders").GetProperty("failed").GetBoolean());
            Assert.False(queues.GetProperty("delivery-requests").GetProperty("failed").GetBoolean());
        }
        Assert.Contains(_log.All, entry =>
            entry.Level == LogLevel.Error
            && entry.Message.Contains("queue 'orders', which accepts and delivers nothing", StringComparison.Ordinal)
        );
        await AssertKeepsItsDescriptionAsync();

        using var deleted = await _http.DeleteAsync(new Uri("/orders", UriKind.Relative), Cancel);
        Assert.Equal(HttpStatusCode.OK, deleted.StatusCode);
        _broker.CreateQueue(name: "orders");
        var sender = await _client.SenderAsync("orders");
        Assert.Same(Accepted.Instance, await sender.SendAsync(Encode("a"), 0, settled: false, Cancel));
    }

    private async Task AssertKeepsItsDescriptionAsync()
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri("/orders", UriKind.Relative));
        request.Headers.Add("If-Match", "*");
        request.Content = new StringContent(
            """<QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" />"""
        );
        using var answer = await _http.SendAsync(request, Cancel);
        Assert.Equal(HttpStatusCode.Conflict, answer.StatusCode);
        Assert.Contains("create it again", await answer.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    private async Task FailAsync(Queue queue)
    {
        var scheduled = QueueFixture.Content("scheduled") with
        {
            ScheduledEnqueueTime = _clock.GetUtcNow() + TimeSpan.FromSeconds(1),
        };
        queue.Send(scheduled);
        var failed = new TaskCompletionSource();
        _broker.Broker.Entities.QueueClosed += _ => failed.TrySetResult();
        // A connection reads the clock with every read. After this response, none of the client's work is in progress.
        await _client.Connection.BeginSessionAsync(null, Cancel);
        _faulty.BreakOnce();
        _clock.Advance(TimeSpan.FromSeconds(1));
        await failed.Task.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
    }
}
