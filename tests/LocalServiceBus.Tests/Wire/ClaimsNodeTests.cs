using DroneDelivery.LocalServiceBus.Access;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

public sealed class ClaimsNodeTests : IDisposable
{
    private readonly ManualTimeProvider _clock = new();
    private readonly ServiceBusNamespace _entities;
    private readonly ConnectionAccess _access;

    public ClaimsNodeTests()
    {
        _entities = new ServiceBusNamespace(_clock);
        _access = new ConnectionAccess(
            new AccessRules([AccessRule.WellKnown], areRequired: true, _clock), login: null, _entities.Defects, _ => { }, () => { });
    }

    public void Dispose()
    {
        _access.Dispose();
        _entities.Dispose();
    }

    [Theory]
    [InlineData("sb://localhost/", 200)]
    [InlineData("sb://localhost/orders", 200)]
    [InlineData("amqp://localhost/ORDERS/$management", 200)]
    [InlineData("sb://localhost/orders/$DeadLetterQueue", 200)]
    [InlineData("sb://localhost/nobody", 404)]
    [InlineData("sb://localhost/nobody/$management", 404)]
    public void A_token_is_taken_for_the_namespace_and_its_entities_only(string audience, int status)
    {
        _entities.Create(new QueueOptions("orders"));
        // An int under exactly this name: SDKs cast.
        var reply = Put(new() { ["operation"] = "put-token", ["name"] = audience }, Sas.Token(audience, _clock.GetUtcNow().AddMinutes(1)));
        Assert.Equal(status, Assert.IsType<int>(reply["status-code"]));
    }

    [Fact]
    public void A_malformed_request_is_told_what_is_missing()
    {
        Assert.Equal(400, Put(new() { ["operation"] = "sing" })["status-code"]);
        var reply = Put(new() { ["operation"] = "put-token" });
        Assert.Equal(400, reply["status-code"]);
        Assert.Contains("'name'", (string)reply["status-description"]!, StringComparison.Ordinal);
    }

    [Fact]
    public void A_token_is_kept_for_what_is_there_and_for_nothing_else()
    {
        const string Later = "sb://localhost/later";
        var token = Sas.Token("sb://localhost/", _clock.GetUtcNow().AddMinutes(1));
        Assert.Equal(404, Put(new() { ["operation"] = "put-token", ["name"] = Later }, token)["status-code"]);
        Assert.NotNull(_access.Refuse("later", AccessRights.Listen));

        _entities.Create(new QueueOptions("later"));
        Assert.Equal(200, Put(new() { ["operation"] = "put-token", ["name"] = Later }, token)["status-code"]);
        Assert.Null(_access.Refuse("later", AccessRights.Listen));
    }

    [Fact]
    public void An_audience_that_is_longer_than_any_entity_is_refused()
    {
        var audience = $"sb://localhost/{new string('a', 100_000)}";
        var reply = Put(new() { ["operation"] = "put-token", ["name"] = audience }, Sas.Token("sb://h/", _clock.GetUtcNow().AddMinutes(1)));
        Assert.Equal(400, reply["status-code"]);
        Assert.True(((string)reply["status-description"]!).Length < 300);
    }

    [Fact]
    public void A_token_that_is_not_good_is_refused_whether_or_not_the_entity_exists()
    {
        var reply = Put(new() { ["operation"] = "put-token", ["name"] = "sb://localhost/nobody" }, "token");
        Assert.Equal(401, Assert.IsType<int>(reply["status-code"]));
        Assert.Contains("malformed", (string)reply["status-description"]!, StringComparison.Ordinal);
    }

    private Dictionary<string, object?> Put(Dictionary<string, object?> properties, string? token = null) =>
        ClaimsNode.Answer(new AmqpMessage { ApplicationProperties = properties, Value = token }, _entities, _access).ApplicationProperties!;
}
