using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Lab.Tests.Commands;

/// <summary><c>deadletters</c> beside the application of <c>lab up</c>, which receives what is replayed.</summary>
[Trait("tier", "slow")]
public sealed class DeadLettersOfTheApplicationTests
{
    [Fact]
    public async Task What_Workflow_gives_up_is_listed_handled_again_after_a_replay_and_purged()
    {
        await using var lab = new LabProcess();
        using var up = await lab.UpAsync();
        await SendAsync(lab.State.BrokerConnectionString);

        var first = await WhenListedAsync(lab, attempt: 0);
        await WhenDoneAsync(lab, "replay", "flight-1");
        var second = await WhenListedAsync(lab, attempt: 1);
        await WhenDoneAsync(lab, "purge", "--all", "--yes");

        Assert.Equal(("flight-1", "UnknownOperation"), (Text(first, "id"), Text(first, "reason")));
        Assert.StartsWith("flight-1~~", Text(second, "id"), StringComparison.Ordinal);
        Assert.Equal(("fly", "UnknownOperation"), (Text(second, "operation"), Text(second, "reason")));
        Assert.Empty(await ListAsync(lab));
    }

    private static async Task SendAsync(string connection)
    {
        await using var client = new ServiceBusClient(connection);
        await using var sender = client.CreateSender(DeadLettersOnBroker.Main);
        var message = new ServiceBusMessage("{}") { MessageId = "flight-1", CorrelationId = "flight-1" };
        message.ApplicationProperties[QueueMessage.OperationProperty] = "fly";
        await sender.SendMessageAsync(message, Cancel);
    }

    /// <summary>When Workflow has moved it to the failed requests.</summary>
    private static async Task<JsonElement> WhenListedAsync(LabProcess lab, int attempt)
    {
        var letters = await UntilAsync(() => ListAsync(lab), letters => letters.Any(IsIt));
        return letters.First(IsIt);

        bool IsIt(JsonElement letter) =>
            letter.GetProperty("attempt").GetInt32() == attempt && Text(letter, "place") == DeadLettersOnBroker.Failed;
    }

    private static async Task WhenDoneAsync(LabProcess lab, params string[] words) =>
        await UntilAsync(() => lab.RunAsync(["deadletters", .. words]), told => told.ExitCode == 0);

    private static async Task<IReadOnlyList<JsonElement>> ListAsync(LabProcess lab)
    {
        var (exitCode, output, error) = await lab.RunAsync("deadletters", "--json");
        Assert.True(exitCode == 0, error);
        return [.. JsonDocument.Parse(output).RootElement.EnumerateArray()];
    }

    private static string? Text(JsonElement letter, string member) => letter.GetProperty(member).GetString();
}
