using System.Net;
using System.Text.Json;
using System.Xml.Linq;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

/// <summary>What clients and operators see of a queue that a defect of the broker has made useless.</summary>
public sealed class FailedQueueTests : IAsyncLifetime
{
    private readonly ManualTimeProvider _clock = new();
    private readonly RecordedLog _log = new();
    private readonly FaultyTimeProvider _faulty;
    private BrokerFixture _broker = null!;
    private AmqpClient _client = null!;
    private HttpClient _http = null!;

    public FailedQueueTests() => _faulty = new FaultyTimeProvider(_clock);

    public async ValueTask InitializeAsync()
    {
        _broker = await BrokerFixture.StartAsync(
            new LocalServiceBusOptions { Port = 0, TimeProvider = _faulty, LoggerFactory = _log }, AmqpClient.Cancel);
        _client = await AmqpClient.ConnectAsync(_broker);
        _http = _broker.CreateHttpClient();
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _client.DisposeAsync();
        await _broker.DisposeAsync();
    }

    [Fact]
    public async Task Its_links_end_with_an_error_that_names_the_way_out_and_new_ones_are_refused()
    {
        var queue = _broker.CreateQueue(name: "orders");
        var receiver = await _client.ReceiverAsync("orders", 10);
        var deadLetters = await _client.ReceiverAsync("orders/$DeadLetterQueue", 10);

        await FailAsync(queue);

        foreach (var error in (AmqpError?[])[await receiver.Detached, await deadLetters.Detached])
        {
            Assert.Equal(ErrorConditions.InternalError, error!.Condition.Value);
            Assert.Contains("create it anew", error.Description, StringComparison.Ordinal);
        }
        var refusal = await Assert.ThrowsAsync<AmqpException>(() => _client.SenderAsync("orders"));
        Assert.Contains("has failed", refusal.Error.Description, StringComparison.Ordinal);
        await _client.SenderAsync("delivery-requests");
    }

    [Fact]
    public async Task Counters_and_the_log_tell_it_and_a_new_queue_works()
    {
        var queue = _broker.CreateQueue(name: "orders");
        await FailAsync(queue);
        using var health = await _http.GetAsync(new Uri("/health", UriKind.Relative), AmqpClient.Cancel);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, health.StatusCode);
        Assert.Contains("orders", await health.Content.ReadAsStringAsync(AmqpClient.Cancel), StringComparison.Ordinal);
        using (var counters = JsonDocument.Parse(await _http.GetStringAsync(new Uri("/$counters", UriKind.Relative), AmqpClient.Cancel)))
        {
            Assert.Equal(1, counters.RootElement.GetProperty("defects").GetInt64());
            var queues = counters.RootElement.GetProperty("queues");
            Assert.True(queues.GetProperty("orders").GetProperty("failed").GetBoolean());
            Assert.False(queues.GetProperty("delivery-requests").GetProperty("failed").GetBoolean());
        }
        Assert.Contains(
            _log.All,
            entry => entry.Level == LogLevel.Error
                && entry.Message.Contains("queue 'orders', which takes and gives nothing more", StringComparison.Ordinal));

        using var deleted = await _http.DeleteAsync(new Uri("/orders", UriKind.Relative), AmqpClient.Cancel);
        Assert.Equal(HttpStatusCode.OK, deleted.StatusCode);
        _broker.CreateQueue(name: "orders");
        var sender = await _client.SenderAsync("orders");
        var encoded = new AmqpMessage { Value = "a" }.ToArray();
        Assert.Same(Accepted.Instance, await sender.SendAsync(encoded, 0, settled: false, AmqpClient.Cancel));
    }

    [Fact]
    public async Task Its_description_does_not_change()
    {
        await FailAsync(_broker.CreateQueue(name: "orders"));
        using var answer = await PutAsync("PT10S", update: true);
        Assert.Equal(HttpStatusCode.Conflict, answer.StatusCode);
        Assert.Contains("create it anew", await answer.Content.ReadAsStringAsync(AmqpClient.Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lock_as_long_as_the_calendar_is_refused_and_the_broker_lives()
    {
        using var answer = await PutAsync("P10675199DT2H48M5.4775807S", update: false);
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        var body = XElement.Parse(await answer.Content.ReadAsStringAsync(AmqpClient.Cancel));
        Assert.Contains("LockDuration", body.Element("Detail")!.Value, StringComparison.Ordinal);
    }

    private async Task<HttpResponseMessage> PutAsync(string lockDuration, bool update)
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri("/orders", UriKind.Relative));
        request.Content = new StringContent($"""
            <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">
            <QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">
            <LockDuration>{lockDuration}</LockDuration></QueueDescription></content></entry>
            """);
        if (update)
            request.Headers.Add("If-Match", "*");
        return await _http.SendAsync(request, AmqpClient.Cancel);
    }

    private async Task FailAsync(Queue queue)
    {
        var scheduled = QueueFixture.Content("scheduled") with { ScheduledEnqueueTime = _clock.GetUtcNow() + TimeSpan.FromSeconds(1) };
        queue.Enqueue([scheduled], new long[1]);
        var failed = new TaskCompletionSource();
        _broker.Broker.Entities.QueueClosed += _ => failed.TrySetResult();
        // A connection looks at the clock with every read: after this answer nothing of the client's is under way any more.
        await _client.Connection.BeginSessionAsync(null, AmqpClient.Cancel);
        _faulty.BreakOnce();
        _clock.Advance(TimeSpan.FromSeconds(1));
        await failed.Task.WaitAsync(TimeSpan.FromSeconds(60), AmqpClient.Cancel);
    }
}
