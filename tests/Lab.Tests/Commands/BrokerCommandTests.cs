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
                await client
                    .CreateSender("delivery-requests")
                    .SendMessageAsync(new ServiceBusMessage("body-of-the-message"), Cancel);
            }

            var trace = "";
            while (!trace.Contains("← ch0 close(", StringComparison.Ordinal))
                trace += await broker.StandardError.SaidAsync("");

            Assert.Matches(@"(?s)handshake ← ch0 open\(.*address=""/delivery-requests"".*← ch1 transfer\(", trace);
            Assert.Contains("→ ch1 disposition(role=receiver ", trace, StringComparison.Ordinal);
            Assert.DoesNotContain("body-of-the-message", trace, StringComparison.Ordinal);
        }
        finally
        {
            broker.Kill();
        }
    }
}
