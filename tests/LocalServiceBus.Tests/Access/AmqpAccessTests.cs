using DroneDelivery.LocalServiceBus.Access;

namespace DroneDelivery.LocalServiceBus.Tests.Access;

/// <summary>Permissions of a client, from the tokens that it has put to <c>$cbs</c>.</summary>
public sealed class AmqpAccessTests : WireTest
{
    private static readonly TimeSpan Validity = TimeSpan.FromMinutes(1);

    private readonly ManualTimeProvider _clock = new();
    private readonly RulesFile _file = new();
    private readonly RecordedLog _log = new();
    private SenderLink _requests = null!;
    private AmqpReceiver _replies = null!;

    private DateTimeOffset Soon => _clock.GetUtcNow() + Validity;

    private protected override LocalServiceBusOptions Options =>
        new()
        {
            Port = 0,
            TokenTimeProvider = _clock,
            ConfigFile = _file.Path,
            LoggerFactory = _log,
        };

    private protected override SaslClient? Login => SaslClient.ClaimsBased;

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        _requests = await _client.SenderAsync("$cbs");
        _replies = await _client.ReceiverAsync("$cbs", 100, receiveAndDelete: true);
    }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _file.Dispose();
    }

    [Theory]
    [InlineData("listener", "receive, peek")]
    [InlineData("sender", "send, schedule")]
    [InlineData("manager", "receive, peek, send, schedule")]
    public async Task Rule_permits_only_its_own_operations(string rule, string allowed)
    {
        Assert.Equal(200, await PutAsync("sb://localhost/orders", rule));

        var may = new List<string>();
        if (await IsAllowedAsync(() => _client.ReceiverAsync("orders", 0)))
            may.Add("receive");
        if (await StatusOfAsync("peek-message", ("from-sequence-number", 0L), ("message-count", 1)) != 401)
            may.Add("peek");
        if (await IsAllowedAsync(() => _client.SenderAsync("orders")))
            may.Add("send");
        if (await StatusOfAsync("schedule-message", ("messages", new List<object?>())) != 401)
            may.Add("schedule");

        Assert.Equal(allowed, string.Join(", ", may));
    }

    [Fact]
    public async Task Transfer_requires_the_send_right_on_both_queues()
    {
        await PutAsync("sb://localhost/orders/north", "sender");
        Assert.False(await IsAllowedAsync(() => _client.SenderAsync("orders/north", destination: "orders")));
        await PutAsync("sb://localhost/orders", "sender");

        Assert.True(await IsAllowedAsync(() => _client.SenderAsync("orders/north", destination: "orders")));
    }

    [Theory]
    [InlineData("orders")]
    [InlineData("orders/$DeadLetterQueue")]
    [InlineData("orders/$management")]
    [InlineData("nobody")]
    public async Task Link_without_a_token_is_rejected_before_the_entity_lookup(string address)
    {
        var refusal = await Assert.ThrowsAsync<AmqpException>(() => _client.ReceiverAsync(address, 0));

        Assert.Equal(ErrorConditions.UnauthorizedAccess, refusal.Error.Condition.Value);
        Assert.Contains(
            address.EndsWith("$management", StringComparison.Ordinal) ? "claim Listen or Send is" : "claim Listen is",
            refusal.Error.Description,
            StringComparison.Ordinal
        );
        Assert.DoesNotContain("could not be found", refusal.Error.Description, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("sb://localhost/orders", "orders", true)]
    [InlineData("sb://localhost/orders", "orders/$DeadLetterQueue", true)]
    [InlineData("sb://localhost/orders", "orders2", false)]
    [InlineData("sb://localhost/orders", "orders/north", true)]
    [InlineData("sb://localhost/orders", "orders/$management", true)]
    [InlineData("amqp://localhost/ORDERS/$management", "orders/$management", true)]
    [InlineData("sb://localhost/orders/$management", "orders", false)]
    [InlineData("sb://localhost/orders/$DeadLetterQueue", "orders/$DeadLetterQueue/$management", true)]
    [InlineData("sb://localhost/", "orders", true)]
    [InlineData("sb://localhost/orders/north", "orders", false)]
    [InlineData("sb://localhost/orders/$DeadLetterQueue", "orders", false)]
    public async Task Token_covers_its_entity_and_paths_below_it(string audience, string address, bool isAllowed)
    {
        Assert.Equal(200, await PutAsync(audience, "listener"));

        Assert.Equal(isAllowed, await IsAllowedAsync(() => _client.ReceiverAsync(address, 0)));
    }

    [Fact]
    public async Task Token_is_accepted_only_for_an_existing_entity()
    {
        var token = Token("sb://localhost/", Soon);
        Assert.Equal(404, await PutAsync("sb://localhost/later", token: token));
        _broker.CreateQueue(name: "later");
        Assert.False(await IsAllowedAsync(() => _client.ReceiverAsync("later", 0)));
        Assert.Equal(200, await PutAsync("sb://localhost/later", token: token));
        Assert.True(await IsAllowedAsync(() => _client.ReceiverAsync("later", 0)));
    }

    public static TheoryData<string, string?, int, string> BadRequests =>
        new()
        {
            { "sing", null, 400, "" },
            { "put-token", null, 400, "'name'" },
            { "put-token", $"sb://localhost/{new string('a', 60_000)}", 400, "" },
            { "put-token", "sb://localhost/nobody", 401, "malformed" },
        };

    [Theory, MemberData(nameof(BadRequests))]
    public async Task Invalid_request_is_rejected_with_a_short_description(
        string operation,
        string? audience,
        int status,
        string named
    )
    {
        Dictionary<string, object?> properties = new() { ["operation"] = operation };
        if (audience is not null)
            properties["name"] = audience;
        var reply = await AskAsync(properties, "no token");

        Assert.Equal(status, reply["status-code"]);
        var description = Assert.IsType<string>(reply["status-description"]);
        Assert.Contains(named, description, StringComparison.Ordinal);
        Assert.InRange(description.Length, 1, 300);
    }

    [Fact]
    public async Task Overlong_address_is_rejected_before_the_entity_lookup()
    {
        var address = $"a{new string('/', 60_000)}a";

        var refusal = await Assert.ThrowsAsync<AmqpException>(() => _client.ReceiverAsync(address, 0));

        Assert.Equal(ErrorConditions.InvalidField, refusal.Error.Condition.Value);
        Assert.DoesNotContain(_log.All, entry => entry.Message.Length > 1000);
    }

    [Theory]
    [InlineData("sb://localhost/orders")]
    [InlineData("sb://localhost/")]
    public async Task Token_for_one_entity_is_rejected_for_another(string audience) =>
        Assert.Equal(401, await PutAsync(audience, token: Token("sb://localhost/orders/north", Soon, "manager")));

    [Fact]
    public async Task Well_known_key_is_rejected_when_the_broker_has_own_rules()
    {
        Assert.Equal(401, await PutAsync("sb://localhost/orders", token: Sas.Token("sb://localhost/orders", Soon)));
        Assert.Contains(
            "SharedAccessKeyName=manager;SharedAccessKey=manager-key",
            _broker.ConnectionString,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Link_is_detached_when_its_token_expires_without_renewal()
    {
        await PutAsync("sb://localhost/orders", "listener");
        var receiver = await _client.ReceiverAsync("orders", 2);
        await PutAsync("sb://localhost/orders/north", token: Token("sb://localhost/orders/north", Soon.AddHours(1)));
        var north = await _client.ReceiverAsync("orders/north", 1);
        _clock.Advance(Validity);
        await PutAsync("sb://localhost/orders", "listener");
        _clock.Advance(Validity);
        _broker.Broker.Entities.Get("orders").Send(new MessageContent(Encode("a")));
        await receiver.NextAsync();

        _clock.Advance(AccessRules.Skew);

        var error = await receiver.Detached;
        Assert.Equal(ErrorConditions.UnauthorizedAccess, error!.Condition.Value);
        Assert.Contains("expired", error.Description, StringComparison.Ordinal);
        _broker.Broker.Entities.Get("orders/north").Send(new MessageContent(Encode("a")));
        await north.NextAsync();
        Assert.False(await IsAllowedAsync(() => _client.ReceiverAsync("orders", 0)));
    }

    [Fact]
    public async Task New_token_replaces_the_permissions_of_the_former()
    {
        await PutAsync("sb://localhost/orders", "listener");
        var receiver = await _client.ReceiverAsync("orders", 0);
        await PutAsync("sb://localhost/orders", "sender");

        Assert.Equal(ErrorConditions.UnauthorizedAccess, (await receiver.Detached)!.Condition.Value);
        Assert.False(await IsAllowedAsync(() => _client.ReceiverAsync("orders", 0)));
        Assert.True(await IsAllowedAsync(() => _client.SenderAsync("orders")));
    }

    [Theory]
    [InlineData("sender", "sender-key", true)]
    [InlineData("sender", "listener-key", false)]
    [InlineData("nobody", "sender-key", false)]
    public async Task Client_without_tokens_authenticates_with_a_key(string name, string key, bool isAdmitted)
    {
        AmqpClient? client = null;
        Assert.Equal(
            isAdmitted,
            await IsAllowedAsync(async () => client = await ConnectAsync(_broker, SaslClient.Plain(name, key)))
        );
        if (client is null)
            return;
        Assert.True(await IsAllowedAsync(() => client.SenderAsync("orders")));
        Assert.False(await IsAllowedAsync(() => client.ReceiverAsync("orders", 0)));
        await client.DisposeAsync();
    }

    [Fact]
    public async Task Advancing_the_brokers_clock_does_not_expire_tokens()
    {
        var clock = new ManualTimeProvider();
        await using var broker = await BrokerFixture.StartAsync(
            new LocalServiceBusOptions { Port = 0, TimeProvider = clock },
            Cancel
        );
        broker.CreateQueue(name: "orders");
        clock.Advance(TimeSpan.FromDays(10_000));
        await using var client = await ConnectAsync(broker, SaslClient.ClaimsBased);
        _requests = await client.SenderAsync("$cbs");
        _replies = await client.ReceiverAsync("$cbs", 100, receiveAndDelete: true);

        var token = Sas.Token("sb://localhost/orders", TimeProvider.System.GetUtcNow().AddMinutes(5));
        Assert.Equal(200, await PutAsync("sb://localhost/orders", token: token));
    }

    [Fact]
    public async Task Connection_that_shows_no_token_is_closed()
    {
        await using var idle = await ConnectAsync(_broker, SaslClient.Anonymous);
        await PutAsync("sb://localhost/orders", "listener");

        _clock.Advance(ConnectionAccess.TokenTimeout);

        var error = await idle.Connection.Closed.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        Assert.Equal(ErrorConditions.UnauthorizedAccess, error!.Condition.Value);
        Assert.Equal(200, await PutAsync("sb://localhost/orders", "listener"));
    }

    private string Token(string resource, DateTimeOffset expiresAt, string rule = "listener") =>
        Sas.Token(resource, expiresAt, rule, $"{rule}-key");

    private async Task<int> PutAsync(string audience, string rule = "listener", string? token = null)
    {
        var reply = await AskAsync(
            new() { ["operation"] = "put-token", ["name"] = audience },
            token ?? Token(audience, Soon, rule)
        );
        return Assert.IsType<int>(reply["status-code"]); // The exact property name: SDKs cast its value.
    }

    private async Task<Dictionary<string, object?>> AskAsync(Dictionary<string, object?> properties, string token)
    {
        var request = new AmqpMessage
        {
            Properties = new MessageProperties { MessageId = "id" },
            ApplicationProperties = properties,
            Value = token,
        };
        await _requests.SendAsync(request.ToArray(), 0, settled: true, Cancel);
        return (await _replies.NextAsync()).Message.ApplicationProperties!;
    }

    private async Task<int> StatusOfAsync(string operation, params (string, object?)[] arguments) =>
        (int)(await _client.AskAsync("orders", operation, arguments)).ApplicationProperties!["statusCode"]!;

    private static async Task<bool> IsAllowedAsync(Func<Task> attach)
    {
        var error = await Record.ExceptionAsync(attach);
        Assert.True(
            error is null or AmqpException { Error.Condition.Value: ErrorConditions.UnauthorizedAccess },
            $"{error}"
        );
        return error is null;
    }
}
