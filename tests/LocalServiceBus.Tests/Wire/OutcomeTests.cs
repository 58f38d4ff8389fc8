namespace DroneDelivery.LocalServiceBus.Tests.Wire;

public sealed class OutcomeTests
{
    private static readonly Dictionary<Symbol, object?> Changes = new() { ["colour"] = "red" };

    [Fact]
    public void Each_outcome_means_what_it_means_to_Service_Bus()
    {
        Assert.IsType<Settlement.Completed>(Outcome.ToSettlement(Accepted.Instance));
        Assert.IsType<Settlement.Released>(Outcome.ToSettlement(Released.Instance));
        var abandoned = Assert.IsType<Settlement.Abandoned>(Outcome.ToSettlement(new Modified(false, false, Changes)));
        Assert.Equal("red", abandoned.Properties!["colour"]);
        var deferred = Assert.IsType<Settlement.Deferred>(Outcome.ToSettlement(new Modified(false, true, Changes)));
        Assert.Equal("red", deferred.Properties!["colour"]);
        Assert.Null(Assert.IsType<Settlement.DeadLettered>(Outcome.ToSettlement(Rejected.Bare)).Reason);
    }

    [Fact]
    public void Of_all_states_that_a_peer_can_send_those_that_are_no_outcome_settle_nothing()
    {
        DeliveryState[] outcomes = [Accepted.Instance, Rejected.Bare, Released.Instance, new Modified()];
        DeliveryState[] others = [new Received(0, 0), new Declared([1]), new TransactionalState([1], Accepted.Instance)];
        var all = typeof(DeliveryState).Assembly.GetTypes().Where(type => type.IsSubclassOf(typeof(DeliveryState))).ToHashSet();
        Assert.Equal(all, outcomes.Concat(others).Select(state => state.GetType()).ToHashSet());

        Assert.All(outcomes, state => Assert.NotNull(Outcome.ToSettlement(state)));
        Assert.All(others.Append(null), state => Assert.Null(Outcome.ToSettlement(state)));
    }

    [Fact]
    public void Each_reason_of_a_queue_has_its_error()
    {
        using var fixture = new QueueFixture();
        var reasons = Enum.GetValues<QueueResult>().Where(result => result != QueueResult.Done);
        Assert.All(reasons, why => Assert.NotEmpty(Refusal.Of(why, fixture.Queue).Description!));
    }

    [Fact]
    public void A_dead_letter_carries_reason_and_description_apart_from_its_properties()
    {
        var error = new AmqpError("com.microsoft:dead-letter", null,
            new() { ["DeadLetterReason"] = "bad", ["DeadLetterErrorDescription"] = "very", ["by"] = "me" });
        var dead = Assert.IsType<Settlement.DeadLettered>(Outcome.ToSettlement(new Rejected(error)));
        Assert.Equal(("bad", "very"), (dead.Reason, dead.Description));
        Assert.Equal("me", Assert.Single(dead.Properties!).Value);
    }

    [Fact]
    public void The_description_of_the_error_is_that_of_the_dead_letter_where_the_properties_have_none()
    {
        var error = new AmqpError("com.microsoft:dead-letter", "wheel", new() { ["DeadLetterReason"] = "bad" });
        var dead = Assert.IsType<Settlement.DeadLettered>(Outcome.ToSettlement(new Rejected(error)));
        Assert.Equal(("bad", "wheel"), (dead.Reason, dead.Description));
    }

    [Fact]
    public void A_rejection_in_plain_AMQP_gives_its_condition_as_reason()
    {
        var dead = Assert.IsType<Settlement.DeadLettered>(Outcome.ToSettlement(new Rejected(new AmqpError("app:broken", "wheel"))));
        Assert.Equal(("app:broken", "wheel"), (dead.Reason, dead.Description));
    }

    [Fact]
    public void The_answer_has_the_type_of_the_outcome_and_a_rejection_comes_back_bare()
    {
        Assert.Same(Accepted.Instance, Outcome.Echo(Accepted.Instance));
        Assert.Same(Released.Instance, Outcome.Echo(Released.Instance));
        Assert.Equal(new Modified(true, true), Outcome.Echo(new Modified(true, true, Changes)));
        Assert.Equal(Rejected.Bare, Outcome.Echo(new Rejected(new AmqpError("com.microsoft:dead-letter"))));
    }

    [Fact]
    public void A_described_property_costs_what_it_holds()
    {
        Assert.InRange(SizeOf(new DescribedValue((Symbol)"com.microsoft:timespan", 1L)), 100, 1000);
        Assert.InRange(SizeOf(new DescribedValue(1ul, new byte[60_000])), 60_000, 61_000);
        Assert.InRange(SizeOf(new DescribedValue(1ul, new List<object?>())), PropertySize.Most + 1, long.MaxValue);
        Assert.InRange(SizeOf(new DescribedValue(new List<object?>(), 1)), PropertySize.Most + 1, long.MaxValue);

        static long SizeOf(object value) => PropertySize.Of("x", Assert.IsType<Settlement.Abandoned>(
            Outcome.ToSettlement(new Modified(false, false, new() { ["x"] = value }))).Properties!["x"]);
    }

    [Theory]
    [InlineData("LockLost", "com.microsoft:message-lock-lost")]
    [InlineData("NotAllowed", "amqp:not-allowed")]
    public void A_reason_has_the_condition_that_SDKs_know(string reason, string condition)
    {
        using var fixture = new QueueFixture();
        Assert.Equal(condition, Refusal.Of(Enum.Parse<QueueResult>(reason), fixture.Queue).Condition.Value);
    }
}
