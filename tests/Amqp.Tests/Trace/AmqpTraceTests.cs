using System.Collections.Concurrent;
using System.Text;

namespace DroneDelivery.Amqp.Tests.Trace;

public sealed class AmqpTraceTests
{
    [Fact]
    public async Task Both_ends_show_the_handshake_without_the_password_and_a_message_without_its_body_up_to_its_settlement()
    {
        var lines = new Lines();
        using var trace = new AmqpTraceLines(lines, TimeProvider.System);
        await using var pair = await Pair.OpenAsync(sasl: SaslClient.Plain("user", "pass-of-the-trace"));
        var server = (await pair.Server.Connection).Id;

        var link = await pair.SenderAsync(address: "q");
        await link.SendAsync(new AmqpMessage { Value = "body-of-the-trace" }.ToArray(), 0, settled: false, Limit.Token);

        Assert.Contains(
            "ch0 sasl-init(mechanism=PLAIN initial-response=(23 bytes) hostname=\"test\")",
            lines.Of("handshake", '→')
        );
        Assert.Contains(lines.Of("handshake", '←'), line =>
            line.StartsWith("ch0 open(container-id=\"client\"", StringComparison.Ordinal)
        );
        Assert.Contains(lines.Of(pair.Client.Id, '→'), line => line.StartsWith("ch0 begin(", StringComparison.Ordinal));
        Assert.Contains(lines.Of(server, '←'), line =>
            line.StartsWith("ch0 attach(name=\"s\" handle=0 target=target(address=\"q\")", StringComparison.Ordinal)
        );
        var sent = Assert.Single(lines.Of(pair.Client.Id, '→'), line =>
            line.Contains("transfer(", StringComparison.Ordinal)
        );
        Assert.Contains(sent, lines.Of(server, '←'));
        Assert.EndsWith(") + 22 bytes", sent, StringComparison.Ordinal);
        Assert.Contains(
            "ch0 disposition(role=receiver first=0 last=0 settled=true state=accepted)",
            lines.Of(server, '→')
        );
        Assert.Contains(
            "ch0 disposition(role=receiver first=0 last=0 settled=true state=accepted)",
            lines.Of(pair.Client.Id, '←')
        );
        foreach (var secret in new[] { "pass-of-the-trace", "body-of-the-trace" })
        {
            Assert.DoesNotContain(lines.All, line => line.Contains(secret, StringComparison.Ordinal));
            Assert.DoesNotContain(lines.All, line =>
                line.Contains(Convert.ToHexStringLower(Encoding.UTF8.GetBytes(secret)), StringComparison.Ordinal)
            );
        }
    }

    /// <summary>What was traced; other tests of this process are among it.</summary>
    private sealed class Lines : TextWriter
    {
        public ConcurrentQueue<string> All { get; } = [];

        public override Encoding Encoding => Encoding.UTF8;

        public override void WriteLine(string? value) => All.Enqueue(value!);

        /// <summary>Of one connection in one direction, without the time.</summary>
        public IReadOnlyList<string> Of(string connection, char arrow) =>
            [
                .. All.Select(line => line.Split(' ', 4))
                    .Where(parts => parts[1] == connection && parts[2] == $"{arrow}")
                    .Select(parts => parts[3]),
            ];
    }
}
