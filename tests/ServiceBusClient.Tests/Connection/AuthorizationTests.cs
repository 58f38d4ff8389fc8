using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Connection;

public sealed class AuthorizationTests : IAsyncLifetime
{
    private readonly ManualTimeProvider _time = new();
    private ScriptedServer _server = null!;
    private ServiceBusClient _client = null!;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        _server = new ScriptedServer(_time);
        var options = new ServiceBusClientOptions
        {
            TimeProvider = _time,
            ConnectionIdleTimeout = TimeSpan.Zero,
            RetryOptions = { MaxRetries = 0 },
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
    public async Task A_token_for_the_queue_is_shown_before_the_link_attaches()
    {
        await _client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);

        var token = Assert.Single(_server.Tokens);
        Assert.Equal(
            ("put-token", "servicebus.windows.net:sastoken", "sb://127.0.0.1/orders"),
            (token["operation"], token["type"], token["name"]));
        Assert.Equal(_time.GetUtcNow().AddMinutes(30), token["expiration"]);
        Assert.StartsWith("SharedAccessSignature sr=sb%3A%2F%2F127.0.0.1%2Forders&", (string)token["token"]!, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_token_serves_all_links_of_a_queue()
    {
        await _client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);
        await _client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);
        await _client.CreateSender("payments").CreateMessageBatchAsync(Cancelled);

        Assert.Equal(["sb://127.0.0.1/orders", "sb://127.0.0.1/payments"], _server.Tokens.Select(token => token["name"]));
    }

    [Fact]
    public async Task A_token_is_renewed_seven_minutes_before_it_expires()
    {
        await _client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);

        await AdvanceAsync(TimeSpan.FromMinutes(22));
        var first = (DateTimeOffset)Assert.Single(_server.Tokens)["expiration"]!;
        // Each step has time to be noticed, so that the clock does not run away from a slow machine.
        for (var looks = 0; _server.Tokens.Count == 1 && _time.GetUtcNow() < first; looks++)
        {
            if (looks % 100 == 0)
                _time.Advance(TimeSpan.FromSeconds(30));
            await Task.Delay(1, Cancelled);
        }

        Assert.True(_time.GetUtcNow() < first, "The broker has closed the links of the first token by now.");
        var expiration = (DateTimeOffset)_server.Tokens.Last()["expiration"]!;
        Assert.InRange(expiration, _time.GetUtcNow().AddMinutes(20), _time.GetUtcNow().AddMinutes(30));
    }

    [Fact]
    public async Task A_refused_token_is_the_error_of_the_operation()
    {
        _server.Status = 404;
        var notFound = await Assert.ThrowsAsync<ServiceBusException>(
            async () => await _client.CreateSender("nowhere").CreateMessageBatchAsync(Cancelled));
        _server.Status = 401;
        await Assert.ThrowsAsync<UnauthorizedAccessException>(
            async () => await _client.CreateSender("forbidden").CreateMessageBatchAsync(Cancelled));

        Assert.Equal(ServiceBusFailureReason.MessagingEntityNotFound, notFound.Reason);
        Assert.Contains("Put token failed. status-code: 404", notFound.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_refused_renewal_does_not_keep_others_from_theirs()
    {
        await _client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);
        await _client.CreateSender("payments").CreateMessageBatchAsync(Cancelled);
        _server.StatusOf[Audience("orders")] = 404;

        await AdvanceUntilAsync(() => TokensFor("payments") >= 3);

        // The queue that is gone was asked for once more and then forgotten, until somebody wants to use it.
        Assert.Equal(2, TokensFor("orders"));
        await Assert.ThrowsAsync<ServiceBusException>(async () => await _client.CreateSender("orders").CreateMessageBatchAsync(Cancelled));
        Assert.Equal(3, TokensFor("orders"));
    }

    [Theory]
    [InlineData(400)]
    [InlineData(501)]
    public async Task A_renewal_that_fails_does_not_fail_the_close(int status)
    {
        await _client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);
        _server.StatusOf[Audience("orders")] = status;
        await AdvanceUntilAsync(() => TokensFor("orders") >= 2);
        // One token after the other: this one is shown when the refusal has come.
        await _client.CreateSender("payments").CreateMessageBatchAsync(Cancelled);

        await _client.DisposeAsync();

        await _server.Served.WaitAsync(TimeSpan.FromSeconds(60), Cancelled);
    }

    [Fact]
    public async Task A_connection_that_can_show_no_more_tokens_is_given_up_for_another()
    {
        await _client.CreateSender("orders").CreateMessageBatchAsync(Cancelled);

        await _server.DetachClaimsAsync();
        await _client.CreateSender("payments").CreateMessageBatchAsync(Cancelled);

        Assert.Equal((1, 1), (TokensFor("orders"), TokensFor("payments")));
        await _server.Served.WaitAsync(TimeSpan.FromSeconds(60), Cancelled);
    }

    private static string Audience(string queue) => $"sb://127.0.0.1/{queue}";

    private int TokensFor(string queue) => _server.Tokens.Count(token => Equals(token["name"], Audience(queue)));

    private Task AdvanceUntilAsync(Func<bool> condition) => Eventually.HoldsAsync(async () =>
    {
        await AdvanceAsync(TimeSpan.FromSeconds(30));
        return condition();
    });

    /// <summary>In steps, so that waits which begin on the way begin near their time.</summary>
    private async Task AdvanceAsync(TimeSpan by)
    {
        for (var step = TimeSpan.Zero; step < by; step += TimeSpan.FromSeconds(30))
        {
            _time.Advance(TimeSpan.FromSeconds(30));
            await Task.Delay(1, Cancelled);
        }
    }
}
