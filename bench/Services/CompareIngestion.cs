using System.CommandLine;
using DroneDelivery.Bench.Broker;

namespace DroneDelivery.Bench.Services;

/// <summary>
/// Compares Ingestion (validate, send, await the broker's acknowledgement, 202) with a bare endpoint that sends the same message.
/// </summary>
internal static class CompareIngestion
{
    public static Command Command() =>
        Comparison.Command("ingestion", "Ingestion next to a bare endpoint that sends the same message.", RunAsync);

    private static async Task RunAsync(Comparison comparison, ParseResult parsed)
    {
        var broker = comparison.Own(await BrokerUnderTest.StartLocalServiceBusAsync());
        var all = new List<Contender>();
        foreach (var (name, program) in comparison.Builds("Ingestion"))
        {
            var server = await comparison.StartAsync(
                program,
                [],
                ("ServiceBus__ConnectionString", broker.ConnectionString)
            );
            all.Add(Posting(name, server, broker));
        }
        var bare = await BareServer.StartAsync(comparison, BareServer.Ingestion, broker.ConnectionString);
        all.Add(Posting("bare sender", bare, broker));
        await comparison.RunAsync("POSTs", all);
    }

    private static Contender Posting(string name, Server server, BrokerUnderTest broker)
    {
        var request = Requests.Post(server.Port);
        return new(name)
        {
            Load = count => HttpLoad.RunAsync(server.Port, request, count, expectedStatus: 202),
            Processes = new() { ["server"] = server.Process, ["broker"] = broker.Process },
            Before = _ => broker.PurgeAsync(),
        };
    }
}
