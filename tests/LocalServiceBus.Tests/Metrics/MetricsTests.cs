using DroneDelivery.LocalServiceBus.Metrics;

namespace DroneDelivery.LocalServiceBus.Tests.Metrics;

public sealed class MetricsTests : BrokerTest
{
    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        var queue = _broker.CreateQueue(name: "orders");
        queue.Send("a", "b", "c");
        var locks = new TestReceiver(queue, 2).Locks;
        queue.Settle(locks[0], Settlement.Complete);
    }

    [Fact]
    public async Task Prometheus_output_describes_every_metric()
    {
        var lines = await ScrapeAsync();

        const string Labels = "{messaging_system=\"servicebus\",messaging_destination_name=\"orders\"";
        Assert.Contains($"messaging_servicebus_messages_sent_total{Labels}}} 3", lines);
        Assert.Contains($"messaging_servicebus_messages_delivered_total{Labels}}} 2", lines);
        Assert.Contains(
            $"messaging_servicebus_messages_settled_total{Labels},messaging_servicebus_disposition_status=\"complete\"}} 1",
            lines
        );
        Assert.Contains(
            $"messaging_servicebus_queue_messages{Labels},messaging_servicebus_message_state=\"active\"}} 1",
            lines
        );
        Assert.Contains(
            $"messaging_servicebus_queue_messages{Labels},messaging_servicebus_message_state=\"locked\"}} 1",
            lines
        );
        Assert.Contains("messaging_servicebus_connections 0", lines);
        Assert.Contains("messaging_servicebus_defects_total 0", lines);
        Assert.Contains(lines, line =>
            line.StartsWith("dotnet_gc_heap_total_allocated_bytes_total ", StringComparison.Ordinal)
        );

        var described = new List<string>();
        foreach (var line in lines)
        {
            if (line.StartsWith("# TYPE ", StringComparison.Ordinal))
                described.Add(line.Split(' ')[2]);
            else if (!line.StartsWith('#'))
                Assert.Equal(described[^1], line.Split('{', ' ')[0]);
        }

        Assert.Equal(described.Distinct(), described);
        Assert.True(described.Count > 10);
    }

    [Fact]
    public async Task Number_of_series_is_limited()
    {
        for (var i = 0; i < BrokerMetric.MaxQueues; i++)
            _broker.CreateQueue();

        var lines = await ScrapeAsync();

        const string Series = "messaging_servicebus_messages_sent_total{";
        Assert.Equal(BrokerMetric.MaxQueues, lines.Count(line => line.StartsWith(Series, StringComparison.Ordinal)));
        Assert.Contains("messaging_servicebus_queues_not_shown 3", lines);
        Assert.Contains(lines, line => line.Contains("destination_name=\"orders\"", StringComparison.Ordinal));
    }

    private async Task<string[]> ScrapeAsync()
    {
        using var answer = await _http.GetAsync(new Uri("/metrics", UriKind.Relative), Cancel);
        Assert.Equal("text/plain", answer.Content.Headers.ContentType!.MediaType);
        var text = await answer.Content.ReadAsStringAsync(Cancel);
        Assert.EndsWith("\n", text, StringComparison.Ordinal);
        return text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }
}
