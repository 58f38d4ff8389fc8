using System.Collections.Concurrent;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>
/// Requests to <c>$cbs</c> and <c>$management</c>, with each way in which SDKs specify the reply link.
/// </summary>
public sealed class RequestResponseTests : WireTest
{
    private protected override LocalServiceBusOptions Options => new() { Port = 0, RequireTokens = false };

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        _broker.CreateQueue(name: "orders");
    }

    [Theory]
    [InlineData("the target's address", "reply-here", "some-link", "reply-here")]
    [InlineData("the link's name, without a target address", null, "cbs-link", "cbs-link")]
    [InlineData("nothing at all", null, "cbs-link", null)]
    public async Task Reply_is_sent_to_the_link_that_the_request_specifies(
        string what,
        string? target,
        string name,
        string? replyTo
    )
    {
        var reply = await CallAsync("$cbs", target, name, PutToken(replyTo, "id"));
        Assert.True(reply.Settled, what);
        Assert.Equal(200, reply.Message.ApplicationProperties!["status-code"]);
    }

    [Theory]
    [InlineData("one", null)]
    [InlineData("one", "reply-here")]
    public async Task Reply_is_sent_to_the_specified_link_and_not_to_a_later_one(string name, string? target)
    {
        var named = await ReplyLinkAsync("$cbs", target, name);
        var later = await ReplyLinkAsync("$cbs", null, "two");
        await (await _client.SenderAsync("$cbs")).SendAsync(
            PutToken(target ?? name, "id").ToArray(),
            0,
            settled: true,
            Cancel
        );
        await Eventually.TrueAsync(() => named.Waiting + later.Waiting > 0);
        Assert.Equal((1, 0), (named.Waiting, later.Waiting));
    }

    public static TheoryData<object> Ids => ["text", 17ul, Guid.Parse("00112233-4455-6677-8899-aabbccddeeff")];

    [Theory, MemberData(nameof(Ids))]
    public async Task Correlation_id_equals_the_message_id_in_its_own_type(object id) =>
        Assert.Equal(id, (await CallAsync("$cbs", "r", "l", PutToken("r", id))).Message.Properties!.CorrelationId);

    [Fact]
    public async Task Unreadable_request_is_rejected_and_returns_its_credit()
    {
        var unnamed = new AmqpMessage
        {
            ApplicationProperties = new() { ["operation"] = "put-token" },
            Value = "token",
        };
        // The message-id is the int 7.
        byte[] numbered = [.. Convert.FromHexString("005373C003015407"), .. unnamed.ToArray()];
        var requests = await _client.SenderAsync("$cbs");
        for (var i = 0; i < 99; i++)
            Assert.IsType<Rejected>(await requests.SendAsync("no message"u8.ToArray(), 0, settled: false, Cancel));
        var refusal = Assert.IsType<Rejected>(await requests.SendAsync(numbered, 0, settled: false, Cancel));
        Assert.Equal("amqp:decode-error", refusal.Error!.Condition.Value);
        await Eventually.TrueAsync(() => requests.Credit == 100);
        Assert.Same(
            Accepted.Instance,
            await requests.SendAsync(PutToken("r", "id").ToArray(), 0, settled: false, Cancel)
        );
    }

    [Fact]
    public async Task Equal_reply_addresses_of_two_nodes_are_independent()
    {
        await ReplyLinkAsync("$cbs", "same", "one");
        var management = await ReplyLinkAsync("orders/$management", "same", "two");
        await (await _client.SenderAsync("orders/$management")).SendAsync(
            Peek("same").ToArray(),
            0,
            settled: true,
            Cancel
        );
        Assert.Equal(204, (await management.NextAsync()).Message.ApplicationProperties!["statusCode"]);
    }

    [Fact]
    public async Task Requests_get_no_credit_while_replies_are_not_received()
    {
        var replies = await ReplyLinkAsync("$cbs", "r", "l", credit: 0);
        var requests = await _client.SenderAsync("$cbs");
        for (var i = 0ul; i < 100; i++)
        {
            Assert.Same(
                Accepted.Instance,
                await requests.SendAsync(PutToken("r", i).ToArray(), 0, settled: false, Cancel)
            );
        }

        Assert.Equal(0u, requests.Credit);
        replies.Link.SetCredit(2);
        Assert.Equal([0ul, 1ul], (await replies.NextAsync(2)).Select(reply => reply.Message.Properties!.CorrelationId));
        replies.Link.SetCredit(60);
        await replies.NextAsync(60);
        await Eventually.TrueAsync(() => requests.Credit > 0);
        // Replies to a detached link hold up no requests.
        await replies.Link.DetachAsync(null, Cancel);
        await Eventually.TrueAsync(() => requests.Credit == 100);
    }

    [Theory]
    [InlineData("$cbs")]
    [InlineData("orders/$management")]
    public async Task Oversized_request_is_rejected(string node)
    {
        var requests = await _client.SenderAsync(node);
        var large = new AmqpMessage { Value = new string('x', (int)requests.Remote.MaxMessageSize!.Value) };
        var refusal = Assert.IsType<Rejected>(await requests.SendAsync(large.ToArray(), 0, settled: false, Cancel));
        Assert.Equal("amqp:link:message-size-exceeded", refusal.Error!.Condition.Value);
        Assert.Same(
            Accepted.Instance,
            await requests.SendAsync(PutToken("r", "id").ToArray(), 0, settled: false, Cancel)
        );
    }

    [Fact]
    public async Task Request_is_accepted_before_its_reply_is_sent()
    {
        var order = new OrderOfEvents();
        var replies = await ReplyLinkAsync("$cbs", "r", "l");
        replies.OnReceived = () => order.Events.Enqueue("reply");
        var requests = await _client.Session.AttachSenderAsync(
            new Attach
            {
                Name = "requests",
                Source = new Source(),
                Target = new Target { Address = "$cbs" },
            },
            order,
            Cancel
        );
        await Eventually.TrueAsync(() => requests.Credit > 0);

        Assert.True(
            requests.TrySend("1"u8, PutToken("r", "id").ToArray(), [], 0, settled: false, context: null, out _)
        );

        await Eventually.TrueAsync(() => order.Events.Count == 2);
        Assert.Equal(["accepted", "reply"], order.Events);
    }

    private async Task<ReceivedMessage> CallAsync(string node, string? target, string linkName, AmqpMessage request)
    {
        var replies = await ReplyLinkAsync(node, target, linkName);
        await (await _client.SenderAsync(node)).SendAsync(request.ToArray(), 0, settled: true, Cancel);
        return await replies.NextAsync();
    }

    private async Task<AmqpReceiver> ReplyLinkAsync(string node, string? target, string name, uint credit = 50)
    {
        var receiver = new AmqpReceiver();
        var attach = new Attach
        {
            Name = name,
            Source = new Source { Address = node },
            Target = new Target { Address = target },
        };
        receiver.Link = await _client.Session.AttachReceiverAsync(attach, receiver, Cancel);
        if (credit > 0)
            receiver.Link.SetCredit(credit);
        return receiver;
    }

    private static AmqpMessage Peek(string replyTo) =>
        Request("peek-message", [("from-sequence-number", 0L), ("message-count", 1)], replyTo);

    private static AmqpMessage PutToken(string? replyTo, object id) =>
        new()
        {
            Properties = new MessageProperties { MessageId = id, ReplyTo = replyTo },
            ApplicationProperties = new()
            {
                ["operation"] = "put-token",
                ["type"] = "servicebus.windows.net:sastoken",
                ["name"] = "sb://localhost/orders",
            },
            Value = "token",
        };

    private sealed class OrderOfEvents : ILinkHandler
    {
        public ConcurrentQueue<string> Events { get; } = [];

        public void OnDisposition(
            AmqpLink link,
            uint deliveryId,
            object? context,
            DeliveryState? state,
            bool settled
        ) => Events.Enqueue(state is Accepted ? "accepted" : "refused");

        public void OnDetached(AmqpLink link, AmqpError? error) { }
    }
}
