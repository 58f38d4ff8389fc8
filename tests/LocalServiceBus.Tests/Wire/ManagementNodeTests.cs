namespace DroneDelivery.LocalServiceBus.Tests.Wire;

public sealed class ManagementNodeTests : IDisposable
{
    private readonly QueueFixture _fixture = new();

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData("completed", 0, 0, 0)]
    [InlineData("abandoned", 1, 0, 0)]
    [InlineData("defered", 0, 1, 0)]
    [InlineData("suspended", 0, 0, 1)]
    [InlineData("unlocked", 1, 0, 0)]
    public void Each_disposition_status_settles(string status, int active, int deferred, int deadLettered)
    {
        Send("a");
        var held = _fixture.Receive(1).Locks[0];
        Assert.Equal(
            200,
            StatusOf(Call("update-disposition", ("lock-tokens", new[] { held.Token }), ("disposition-status", status)))
        );
        var counts = _fixture.Queue.Counts();
        Assert.Equal((active, deferred, deadLettered), (counts.Active, counts.Deferred, counts.DeadLetter));
        Assert.Equal(
            410,
            StatusOf(Call("update-disposition", ("lock-tokens", new[] { held.Token }), ("disposition-status", status)))
        );
    }

    [Fact]
    public void Peek_returns_at_most_250_messages_and_1_MB()
    {
        for (var i = 0; i < 300; i++)
            Send("a");
        for (var i = 0; i < 20; i++)
            Send(new string('x', 100_000));
        Send(new string('x', 2_000_000));
        Send("a");
        Assert.Equal([250, 10, 1], new[] { 1L, 301L, 321L }.Select(CountPeeked));
        foreach (var (from, count) in ((long, int)[])[(long.MaxValue, int.MaxValue), (0, -1), (0, int.MinValue)])
            Assert.Equal(204, StatusOf(Call("peek-message", ("from-sequence-number", from), ("message-count", count))));
    }

    [Fact]
    public void Scheduled_message_above_the_size_limit_is_rejected()
    {
        var message = Message(new string('x', 100)).ToArray();
        _fixture.Queue.Update(_fixture.Queue.Options with { MaxMessageSize = message.Length });
        Assert.Equal(200, StatusOf(Schedule()));
        _fixture.Queue.Update(_fixture.Queue.Options with { MaxMessageSize = message.Length - 1 });
        var reply = Schedule();
        Assert.Equal(
            (403, new Symbol("amqp:link:message-size-exceeded")),
            (StatusOf(reply), reply.ApplicationProperties!["errorCondition"])
        );
        Assert.Equal(1, _fixture.Queue.Counts().Incoming);

        AmqpMessage Schedule() =>
            Call(
                "schedule-message",
                ("messages", new List<object?> { new Dictionary<object, object?> { ["message"] = message } })
            );
    }

    [Theory]
    [InlineData("renew-lock", "lock-tokens")]
    [InlineData("update-disposition", "lock-tokens")]
    [InlineData("receive-by-sequence-number", "sequence-numbers")]
    [InlineData("cancel-scheduled-message", "sequence-numbers")]
    [InlineData("schedule-message", "messages")]
    public void Request_accepts_at_most_4000_items(string operation, string argument)
    {
        Assert.DoesNotContain("4000", Description(4000), StringComparison.Ordinal);
        Assert.Contains("4000", Description(4001), StringComparison.Ordinal);

        string Description(int count)
        {
            object items = argument switch
            {
                "lock-tokens" => new Guid[count],
                "sequence-numbers" => new long[count],
                _ => Enumerable
                    .Repeat<object?>(new Dictionary<object, object?> { ["message"] = Message("a").ToArray() }, count)
                    .ToList(),
            };
            var reply = Call(operation, (argument, items), ("disposition-status", "completed"));
            return (string)reply.ApplicationProperties!["statusDescription"]!;
        }
    }

    [Fact]
    public void Receiving_deferred_messages_requires_a_settle_mode()
    {
        Send("a");
        _fixture.Queue.Settle(_fixture.Receive(1).Locks[0], new Settlement.Deferred());

        Assert.Equal(400, StatusOf(Call("receive-by-sequence-number", ("sequence-numbers", new[] { 1L }))));

        Assert.Equal(1, _fixture.Queue.Counts().Deferred);
    }

    [Fact]
    public void Deferred_messages_of_more_than_4_MB_are_rejected_together()
    {
        for (var i = 0; i < 6; i++)
            Send(new string('x', 1_000_000));
        foreach (var held in _fixture.Receive(6).Locks)
            _fixture.Queue.Settle(held, new Settlement.Deferred());
        Assert.Equal(400, Receive(1, 2, 3, 4, 5));
        Assert.Equal(6, _fixture.Queue.Counts().Deferred);
        Assert.Equal(200, Receive(1, 2));
        Assert.Equal(4, _fixture.Queue.Counts().Deferred);

        int Receive(params long[] numbers) =>
            StatusOf(Call("receive-by-sequence-number", ("sequence-numbers", numbers), ("receiver-settle-mode", 0u)));
    }

    [Fact]
    public void Invalid_properties_are_rejected_and_the_lock_is_kept()
    {
        Send("a");
        var held = _fixture.Receive(1).Locks[0];
        Dictionary<object, object?>[] wrong =
        [
            new() { ["a"] = new string('x', 40_000) },
            new() { ["a"] = 1, [new Symbol("a")] = 2 },
        ];
        foreach (var properties in wrong)
        {
            var reply = Call(
                "update-disposition",
                ("lock-tokens", new[] { held.Token }),
                ("disposition-status", "abandoned"),
                ("properties-to-modify", properties)
            );
            Assert.Equal(400, StatusOf(reply));
            Assert.Equal(new Symbol("com.microsoft:argument-error"), reply.ApplicationProperties!["errorCondition"]);
        }
        Assert.Equal(1, _fixture.Queue.Counts().Locked);
    }

    [Fact]
    public void Request_deletes_at_most_4000_messages()
    {
        for (var i = 0; i < 4001; i++)
            Send("a");
        // No message is older.
        Assert.Equal(0, Delete(int.MaxValue, ("enqueued-time-utc", _fixture.Clock.GetUtcNow())));
        Assert.Equal([4000, 1, 0], new[] { int.MaxValue, int.MaxValue, -1 }.Select(count => Delete(count)));

        int Delete(int count, params (string, object?)[] more) =>
            (int)Body(Call("batch-delete-messages", [("message-count", count), .. more]))["message-count"]!;
    }

    [Fact]
    public void Invalid_request_is_rejected_with_the_name_of_its_argument()
    {
        Assert.Equal(501, StatusOf(Call("add-rule")));
        var lengthy = Call(new string('x', 100_000)).ApplicationProperties!;
        Assert.InRange(((string)lengthy["statusDescription"]!).Length, 1, 300); // Repeats a client's text only in part.
        var reply = Call("peek-message", ("from-sequence-number", "first"), ("message-count", 1));
        Assert.Equal(
            (400, new Symbol("com.microsoft:argument-error")),
            (StatusOf(reply), reply.ApplicationProperties!["errorCondition"])
        );
        Assert.Contains(
            "from-sequence-number",
            (string)reply.ApplicationProperties["statusDescription"]!,
            StringComparison.Ordinal
        );
        Assert.Equal(
            400,
            StatusOf(
                Call("update-disposition", ("lock-tokens", new[] { Guid.NewGuid() }), ("disposition-status", "sung"))
            )
        );
        Assert.Equal(400, StatusOf(Call("schedule-message", ("messages", new List<object?> { "text" }))));
    }

    private AmqpMessage Call(string operation, params (string, object?)[] arguments) =>
        _fixture.Call(operation, arguments);

    private int CountPeeked(long from)
    {
        var reply = Call("peek-message", ("from-sequence-number", from), ("message-count", int.MaxValue));
        return Assert.IsType<List<object?>>(Body(reply)["messages"]).Count;
    }

    private static AmqpMessage Message(string text) => new() { Data = [Encoding.UTF8.GetBytes(text)] };

    private void Send(string text) =>
        _fixture.Send(IncomingMessage.Read(Message(text).ToArray(), withMessageId: false));
}
