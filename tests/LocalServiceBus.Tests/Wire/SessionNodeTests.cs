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
    [InlineData("receive-by-sequence-number", 404)] // nothing is deferred
    public void Only_the_link_that_has_the_session_works_in_it_and_names_it(string operation, int status)
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
        session.LinkToBe = new LinkId(new object(), "second"); // of another connection
        Assert.Equal([410, 410], new[] { null, "second" }.Select(link => StatusOf(Call(operation, link, arguments))));

        session.LinkToBe = new LinkId(_connection, "second");
        Assert.Equal(
            [410, status, status],
            new[] { "first", "second", null }.Select(link => StatusOf(Call(operation, link, arguments)))
        );
    }

    [Fact]
    public void A_batch_delete_removes_messages_of_the_session_that_the_link_holds()
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
    public void A_settlement_after_the_first_loses_the_message_lock_while_the_session_is_held()
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
        session.GiveBack();
        Assert.Equal("com.microsoft:session-lock-lost", ErrorOf(Call("update-disposition", arguments)));

        static string ErrorOf(AmqpMessage reply) => ((Symbol)reply.ApplicationProperties!["errorCondition"]!).Value;
    }

    [Fact]
    public void A_state_that_is_too_large_or_for_which_there_is_no_room_is_refused()
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
    public void A_message_of_a_session_is_not_renewed_by_itself()
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
