using System.Reflection;
using Azure.Identity;

namespace DroneDelivery.ServiceBusSdk.Tests;

/// <summary>
/// Differences between Azure and the local broker. Each one is a row of a table in the broker's reference.
/// </summary>
public sealed class DifferencesTests(Bus bus) : BusTest(bus)
{
    [Fact(
        Skip = "Microsoft Entra ID: identities and roles in place of keys",
        SkipWhen = nameof(Bus.IsLocal),
        SkipType = typeof(Bus)
    )]
    public async Task Managed_identity_sends_without_a_key()
    {
        var queue = await CreateQueueAsync();
        var client = Owned(new ServiceBusClient(Client.FullyQualifiedNamespace, new DefaultAzureCredential()));

        await client.CreateSender(queue).SendMessageAsync(new ServiceBusMessage("one"), Cancelled);

        Assert.Equal("one", (await OneAsync(Receiver(queue))).Body.ToString());
    }

    [Fact]
    public async Task Each_difference_is_listed_in_the_reference()
    {
        var page = await File.ReadAllTextAsync(
            Path.Combine(Repository.Root, "local/LocalServiceBus/README.md"),
            Cancelled
        );
        var differences = GetType()
            .GetMethods()
            .Select(method => method.GetCustomAttribute<FactAttribute>()?.Skip)
            .OfType<string>();

        Assert.All(differences, difference => Assert.Contains($"| {difference} |", page, StringComparison.Ordinal));
    }
}
