using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;
using DroneDelivery.Testing;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

public sealed class ClaimsNodeTests : IDisposable
{
    private readonly ServiceBusNamespace _entities = new(new ManualTimeProvider());

    public void Dispose() => _entities.Dispose();

    [Theory]
    [InlineData("sb://localhost/", 200)]
    [InlineData("sb://localhost/orders", 200)]
    [InlineData("amqp://localhost/ORDERS/$management", 200)]
    [InlineData("sb://localhost/orders/$DeadLetterQueue", 200)]
    [InlineData("sb://localhost/nobody", 404)]
    [InlineData("sb://localhost/nobody/$management", 404)]
    public void A_token_is_taken_for_the_namespace_and_its_entities_only(string audience, int status)
    {
        _entities.CreateQueue(new QueueOptions("orders"));
        // An int under exactly this name: SDKs cast.
        Assert.Equal(status, Assert.IsType<int>(Put(new() { ["operation"] = "put-token", ["name"] = audience })["status-code"]));
    }

    [Fact]
    public void A_malformed_request_is_told_what_is_missing()
    {
        Assert.Equal(400, Put(new() { ["operation"] = "sing" })["status-code"]);
        var reply = Put(new() { ["operation"] = "put-token" });
        Assert.Equal(400, reply["status-code"]);
        Assert.Contains("'name'", (string)reply["status-description"]!, StringComparison.Ordinal);
    }

    private Dictionary<string, object?> Put(Dictionary<string, object?> properties) =>
        ClaimsNode.Answer(new AmqpMessage { ApplicationProperties = properties, Value = "token" }, _entities).ApplicationProperties!;
}
