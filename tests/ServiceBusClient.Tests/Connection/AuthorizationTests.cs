using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Connection;

public sealed class AuthorizationTests : IAsyncLifetime
{
    private readonly ManualTimeProvider time = new();
    private ScriptedServer server = null!;
    private ServiceBusClient client = null!;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        server = new ScriptedServer(time);
        var options = new ServiceBusClientOptions { TimeProvider = time, ConnectionIdleTimeout = TimeSpan.Zero, RetryOptions = { MaxRetries = 0 } };
        client = new ServiceBusClient(server.ConnectionString, options);
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await client.DisposeAsync();
        await server.DisposeAsync();
    }

    [Fact]
    public async Task A_token_for_the_queue_is_shown_before_the_link_attaches()
    {
        await client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);

        var token = Assert.Single(server.Tokens);
        Assert.Equal(("put-token", "servicebus.windows.net:sastoken", "sb://127.0.0.1/orders"), (token["operation"], token["type"], token["name"]));
        Assert.Equal(time.GetUtcNow().AddMinutes(30), token["expiration"]);
        Assert.StartsWith("SharedAccessSignature sr=sb%3A%2F%2F127.0.0.1%2Forders&", (string)token["token"]!, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_token_serves_all_links_of_a_queue()
    {
        await client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);
        await client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);
        await client.CreateSender("payments").CreateMessageBatchAsync(Cancelled);

        Assert.Equal(["sb://127.0.0.1/orders", "sb://127.0.0.1/payments"], server.Tokens.Select(token => token["name"]));
    }

    [Fact]
    public async Task A_token_is_renewed_seven_minutes_before_it_expires()
    {
        await client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);

        await AdvanceAsync(TimeSpan.FromMinutes(22));
        Assert.Single(server.Tokens);
        await Eventually.HoldsAsync(async () =>
        {
            await AdvanceAsync(TimeSpan.FromSeconds(30));
            return server.Tokens.Count == 2;
        });

        Assert.InRange((DateTimeOffset)server.Tokens.Last()["expiration"]!, time.GetUtcNow().AddMinutes(20), time.GetUtcNow().AddMinutes(30));
    }

    [Fact]
    public async Task A_refused_token_is_the_error_of_the_operation()
    {
        server.Status = 404;
        var notFound = await Assert.ThrowsAsync<ServiceBusException>(async () => await client.CreateSender("nowhere").CreateMessageBatchAsync(Cancelled));
        server.Status = 401;
        await Assert.ThrowsAsync<UnauthorizedAccessException>(async () => await client.CreateSender("forbidden").CreateMessageBatchAsync(Cancelled));

        Assert.Equal(ServiceBusFailureReason.MessagingEntityNotFound, notFound.Reason);
        Assert.Contains("Put token failed. status-code: 404", notFound.Message, StringComparison.Ordinal);
    }

    /// <summary>In steps, so that waits which begin on the way begin near their time.</summary>
    private async Task AdvanceAsync(TimeSpan by)
    {
        for (var step = TimeSpan.Zero; step < by; step += TimeSpan.FromSeconds(30))
        {
            time.Advance(TimeSpan.FromSeconds(30));
            await Task.Delay(1, Cancelled);
        }
    }
}
