namespace DroneDelivery.LocalServiceBus.Tests.Wire;

public sealed class SessionNodeTests : IDisposable
{
    private readonly QueueFixture _fixture = new(options => options with { RequiresSession = true });

    private readonly object _connection = new();

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData("renew-session-lock", 200)]
    [InlineData("get-session-state", 200)]
    [InlineData("set-session-state", 200)]
    [InlineData("receive-by-sequence-number", 404)] // No message is deferred.
    public void Only_the_link_that_holds_the_session_can_use_it(string operation, int status)
    {
        Assert.Equal(400, StatusOf(Call(operation, ("sequence-numbers", new[] { 1L }))));
        (string, object?)[] arguments =
        [
            ("session-id", "a"),
            ("sequence-numbers", new[] { 1L }),
            ("receiver-settle-mode", 1u),
        ];
        var ofNobody = Call(operation, arguments).ApplicationProperties!;
        Assert.Equal(
            (410, new Symbol("com.microsoft:session-lock-lost")),
            (ofNobody["statusCode"], ofNobody["errorCondition"])
        );

        var session = _fixture.Accept("a");
        session.LinkToBe = new LinkId(new object(), "second"); // Another connection's link.
        Assert.Equal([410, 410], new[] { null, "second" }.Select(link => StatusOf(Call(operation, link, arguments))));

        session.LinkToBe = new LinkId(_connection, "second");
        Assert.Equal(
            [410, status, status],
            new[] { "first", "second", null }.Select(link => StatusOf(Call(operation, link, arguments)))
        );
    }

    [Fact]
    public void Batch_delete_removes_messages_of_the_links_session()
    {
        _fixture.SendTo("a", "1", "2");
        _fixture.SendTo("b", "3");
        (string, object?)[] arguments = [("session-id", "a"), ("message-count", 10)];
        Assert.Equal(410, StatusOf(Call("batch-delete-messages", arguments)));
        _fixture.Accept("a");

        Assert.Equal(2, Body(Call("batch-delete-messages", arguments))["message-count"]);

        Assert.Equal(["3"], _fixture.PeekTexts());
    }

    [Fact]
    public void Second_settlement_fails_with_message_lock_lost()
    {
        _fixture.SendTo("a", "1");
        var session = _fixture.Accept("a");
        var held = Assert.Single(session.Receive(1).Locks);
        (string, object?)[] arguments =
        [
            ("session-id", "a"),
            ("lock-tokens", new[] { held.Token }),
            ("disposition-status", "completed"),
        ];
        Assert.Equal(200, StatusOf(Call("update-disposition", arguments)));

        Assert.Equal("com.microsoft:message-lock-lost", ErrorOf(Call("update-disposition", arguments)));
        session.Release();
        Assert.Equal("com.microsoft:session-lock-lost", ErrorOf(Call("update-disposition", arguments)));

        static string ErrorOf(AmqpMessage reply) => ((Symbol)reply.ApplicationProperties!["errorCondition"]!).Value;
    }

    [Fact]
    public void Oversized_session_state_is_rejected()
    {
        _fixture.Accept("a");
        var large = Call("set-session-state", ("session-id", "a"), ("session-state", new byte[256 * 1024 + 1]));
        Assert.Equal(new Symbol("amqp:link:message-size-exceeded"), large.ApplicationProperties!["errorCondition"]);
        _fixture.Queue.Update(_fixture.Queue.Options with { MaxSizeInMegabytes = 1, MaxMessageSize = 2_000_000 });
        Call("set-session-state", ("session-id", "a"), ("session-state", new byte[1_100_000]));
        var full = Call("set-session-state", ("session-id", "a"), ("session-state", new byte[1]));

        Assert.Equal(new Symbol("amqp:resource-limit-exceeded"), full.ApplicationProperties!["errorCondition"]);
    }

    [Fact]
    public void Message_lock_in_a_session_cannot_be_renewed()
    {
        _fixture.SendTo("a", "1");
        var held = Assert.Single(_fixture.Accept("a").Receive(1).Locks);

        Assert.Equal(
            400,
            Call("renew-lock", ("lock-tokens", new[] { held.Token })).ApplicationProperties!["statusCode"]
        );
    }

    private AmqpMessage Call(string operation, params (string, object?)[] arguments) =>
        Call(operation, null, arguments);

    private AmqpMessage Call(string operation, string? link, (string, object?)[] arguments) =>
        _fixture.Call(operation, arguments, link, _connection);
}
