using System.Net;
using System.Text.Json;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;

namespace DroneDelivery.LocalServiceBus.Tests.Admin;

/// <summary>What the broker offers beyond the service's own management API.</summary>
public sealed class LabApiTests : IAsyncLifetime
{
    BrokerFixture broker = null!;
    HttpClient http = null!;

    static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        broker = await BrokerFixture.StartAsync(cancellationToken: Cancellation);
        http = new HttpClient { BaseAddress = broker.Broker.Address };
    }

    public async ValueTask DisposeAsync()
    {
        http.Dispose();
        await broker.DisposeAsync();
    }

    [Fact]
    public async Task Counters_tell_every_queue_by_the_agreed_names()
    {
        broker.CreateQueue(name: "second");

        using var counters = JsonDocument.Parse(await http.GetStringAsync(new Uri("/$counters", UriKind.Relative), Cancellation));

        Assert.Equal(["time", "connections", "defects", "queues"], Names(counters.RootElement));
        var queues = counters.RootElement.GetProperty("queues");
        Assert.Equal(["delivery-requests", "second"], Names(queues));
        Assert.Equal(
            ["incoming", "outgoing", "completed", "abandoned", "deadLettered", "lockLost", "lateCompletes", "lateDeadLetters", "expiredLocks", "redelivered", "expired", "active", "locked", "deferred", "scheduled", "deadLetter", "activeMessageCount", "failed", "links"],
            Names(queues.GetProperty("second")));
    }

    [Fact]
    public async Task Counters_follow_the_queue()
    {
        Fill(broker.CreateQueue(name: "second"), 3);

        using var counters = JsonDocument.Parse(await http.GetStringAsync(new Uri("/$counters", UriKind.Relative), Cancellation));

        var second = counters.RootElement.GetProperty("queues").GetProperty("second");
        Assert.Equal(3, second.GetProperty("incoming").GetInt64());
        Assert.Equal(3, second.GetProperty("active").GetInt64());
        Assert.Equal(0, second.GetProperty("outgoing").GetInt64());
    }

    [Theory]
    [InlineData("/health/live")]
    [InlineData("/health/ready")]
    public async Task A_running_broker_is_healthy(string path)
    {
        using var response = await http.GetAsync(new Uri(path, UriKind.Relative), Cancellation);

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task Purging_tells_how_many_messages_went()
    {
        var queue = broker.CreateQueue(name: "north/orders");
        Fill(queue, 3);

        var answer = await PostAsync("/north/orders/$purge");

        Assert.Equal(HttpStatusCode.OK, answer.Status);
        Assert.Equal("""{"purged":3}""", answer.Body);
        Assert.Equal(0, queue.Counts().Active);
    }

    [Fact]
    public async Task The_dead_letter_queue_is_purged_at_its_own_address()
    {
        var queue = broker.CreateQueue(name: "orders");
        Fill(queue, 1);
        Fill(queue.DeadLetterQueue!, 2);

        var answer = await PostAsync("/orders/$DeadLetterQueue/$purge");

        Assert.Equal("""{"purged":2}""", answer.Body);
        Assert.Equal((1, 0), (queue.Counts().Active, queue.Counts().DeadLetter));
    }

    [Fact]
    public async Task Purging_what_is_not_there_is_not_found()
    {
        var answer = await PostAsync("/nothing/$purge");

        Assert.Equal(HttpStatusCode.NotFound, answer.Status);
        Assert.Contains("nothing", answer.Body, StringComparison.Ordinal);
    }

    async Task<(HttpStatusCode Status, string Body)> PostAsync(string path)
    {
        using var response = await http.PostAsync(new Uri(path, UriKind.Relative), null, Cancellation);
        return (response.StatusCode, await response.Content.ReadAsStringAsync(Cancellation));
    }

    static void Fill(Queue queue, int count)
    {
        var messages = Enumerable.Repeat(new MessageContent("x"u8.ToArray()), count).ToArray();
        Assert.Equal(EnqueueResult.Accepted, queue.Enqueue(messages, new long[count]));
    }

    static string[] Names(JsonElement element) => [.. element.EnumerateObject().Select(property => property.Name)];
}
