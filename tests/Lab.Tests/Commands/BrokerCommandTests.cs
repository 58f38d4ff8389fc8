using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Lab.Tests.Commands;

public sealed class BrokerCommandTests
{
    [Fact]
    public async Task Trace_prints_the_frames_of_a_message_and_not_what_it_says()
    {
        await using var lab = new LabProcess();
        var (broker, connectionString) = await lab.LaunchAsync("broker", "--port", "0", "--trace");
        try
        {
            await using (var client = new ServiceBusClient(connectionString))
            {
                await client.CreateSender("delivery-requests")
                    .SendMessageAsync(new ServiceBusMessage("body-of-the-message"), TestContext.Current.CancellationToken);
            }

            var lines = await LinesUntilAsync(broker, "← ch0 close(");

            Assert.Contains(lines, line => line.Contains("handshake ← ch0 open(", StringComparison.Ordinal));
            Assert.Contains(lines, line => line.Contains("target=target(address=\"/delivery-requests\"", StringComparison.Ordinal));
            Assert.Contains(lines, line => line.Contains("← ch1 transfer(", StringComparison.Ordinal));
            Assert.Contains(lines, line => line.Contains("→ ch1 disposition(role=receiver ", StringComparison.Ordinal));
            Assert.DoesNotContain(lines, line => line.Contains("body-of-the-message", StringComparison.Ordinal));
        }
        finally
        {
            broker.Kill();
        }
    }

    private static async Task<IReadOnlyList<string>> LinesUntilAsync(Process process, string last)
    {
        var lines = new List<string>();
        while (await process.StandardError.ReadLineAsync(TestContext.Current.CancellationToken) is { } line)
        {
            lines.Add(line);
            if (line.Contains(last, StringComparison.Ordinal))
                return lines;
        }

        Assert.Fail($"The trace ended without '{last}':\n{string.Join('\n', lines)}");
        return lines;
    }
}
