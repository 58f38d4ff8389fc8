using System.Reflection;
using Azure.Messaging.ServiceBus.Administration;

namespace Azure.Messaging.ServiceBus.Tests.Messages;

/// <summary>Everything that a test gives to the factory is in what it makes.</summary>
public sealed class ModelFactoryTests
{
    // Where the parameter has another name than the property.
    private static readonly Dictionary<string, string> Properties = new()
    {
        ["viaPartitionKey"] = "TransactionPartitionKey",
        ["properties"] = "ApplicationProperties",
        ["lockTokenGuid"] = "LockToken",
        ["serviceBusMessageState"] = "State",
    };

    [Fact]
    public void What_is_given_is_there()
    {
        var methods = typeof(ServiceBusModelFactory).GetMethods(BindingFlags.Public | BindingFlags.Static)
            .Where(method => method.Name != nameof(ServiceBusModelFactory.ServiceBusMessageBatch));

        Assert.All(methods, method =>
        {
            var values = method.GetParameters().Select(Sample).ToArray();
            var made = method.Invoke(null, values)!;
            Assert.All(method.GetParameters().Zip(values), given => AssertHas(made, given.First.Name!, given.Second));
        });
    }

    [Fact]
    public void A_batch_takes_what_its_test_lets_it_take()
    {
        var store = new List<ServiceBusMessage>();
        using var batch = ServiceBusModelFactory.ServiceBusMessageBatch(
            500, store, new CreateMessageBatchOptions { MaxSizeInBytes = 1000 }, message => message.MessageId == "1");

        Assert.True(batch.TryAddMessage(new ServiceBusMessage { MessageId = "1" }));
        Assert.False(batch.TryAddMessage(new ServiceBusMessage { MessageId = "2" }));

        Assert.Equal((500, 1000, 1), (batch.SizeInBytes, batch.MaxSizeInBytes, batch.Count));
        Assert.Equal("1", Assert.Single(store).MessageId);
        Assert.True(ServiceBusModelFactory.ServiceBusMessageBatch(0, store).TryAddMessage(new ServiceBusMessage()));
    }

    private static void AssertHas(object made, string parameter, object given)
    {
        var name = Properties.GetValueOrDefault(parameter, parameter);
        var property = made.GetType().GetProperty(name, BindingFlags.IgnoreCase | BindingFlags.Public | BindingFlags.Instance)!;
        Assert.Equal(given is Guid id ? id.ToString() : given, property.GetValue(made));
    }

    private static object Sample(ParameterInfo parameter) => parameter.ParameterType switch
    {
        var type when type == typeof(string) => parameter.Name!,
        var type when type == typeof(TimeSpan) => TimeSpan.FromSeconds(parameter.Position + 1),
        var type when type == typeof(DateTimeOffset) => new DateTimeOffset(2030, 1, parameter.Position + 1, 0, 0, 0, TimeSpan.Zero),
        var type when type == typeof(long) => parameter.Position + 1L,
        var type when type == typeof(int) => parameter.Position + 1,
        var type when type == typeof(bool) => true,
        var type when type == typeof(Guid) => Guid.NewGuid(),
        var type when type == typeof(BinaryData) => new BinaryData("body"),
        var type when type == typeof(EntityStatus) => EntityStatus.Disabled,
        var type when type == typeof(MessagingSku) => MessagingSku.Premium,
        var type when type == typeof(RuleFilter) => new FalseRuleFilter(),
        var type when type == typeof(RuleAction) => new SqlRuleAction("SET a = 1"),
        var type when type == typeof(ServiceBusMessageState) => ServiceBusMessageState.Deferred,
        var type when type == typeof(IDictionary<string, object>) => new Dictionary<string, object> { ["a"] = 1 },
        var type => throw new ArgumentException($"There is no sample of {type}."),
    };
}
