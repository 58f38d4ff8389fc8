using System.Xml.Linq;

namespace DroneDelivery.Lab.Tests.Systems;

/// <summary>A system written for Java Modelling Tools. docs/explanation/model.md has what these say of ten.</summary>
public sealed class JmtModelTests : IDisposable
{
    private const string Orders = """
        {
          "name": "orders",
          "load": { "perSecond": 32 },
          "queues": { "in": {}, "bills": {} },
          "accepts": "shop",
          "services": {
            "shop": { "latency": 5 },
            "orders": {
              "receives": "in", "sends": ["bills"], "replicas": 2, "maxConcurrentCalls": 4, "settlement": { "exponential": 20 },
              "calls": [["stock", "payments"], "mail"]
            },
            "billing": { "receives": "bills", "maxConcurrentCalls": 3, "calls": ["mail"] },
            "stock": { "latency": 30 },
            "payments": { "latency": { "mu": 4.4, "sigma": 0.2 } },
            "mail": {}
          }
        }
        """;

    private readonly string _folder = Directory.CreateTempSubdirectory("jmt-").FullName;

    private string Written => Path.Combine(_folder, "mine.jsimg");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Handlers_let_so_many_messages_through_and_what_takes_time_is_a_station()
    {
        var (code, output, error) = await WriteAsync(Orders);

        Assert.Equal(0, code);
        Assert.Contains("completed.plateau", output, StringComparison.Ordinal);
        Assert.Contains("locks", error, StringComparison.Ordinal);
        var sim = XDocument.Load(Written).Root!.Element("sim")!;
        Assert.Equal(["in 8", "bills 3"], With("block").Where(it => !it.EndsWith(" -1", StringComparison.Ordinal)));
        Assert.Equal(
            [
                "load 32",
                "shop 0.005",
                "orders 1.1 stock 0.03",
                $"orders 1.2 payments {4.4 - Math.Log(1000)} 0.2",
                "orders sends 50",
                "orders settles 50",
            ],
            With("lambda", "t", "mu", "sigma")
        );
        Assert.Equal(
            [
                "load > shop",
                "shop > in",
                "in > orders 1",
                "orders 1 > orders 1.1 stock",
                "orders 1 > orders 1.2 payments",
                "orders 1.1 stock > orders 1 joined",
                "orders 1.2 payments > orders 1 joined",
                "orders 1 joined > orders sends",
                "orders sends > orders sent",
                "orders sent > bills",
                "orders sent > orders settles",
                "orders settles > orders has settled",
                "orders has settled > in settled",
                "in settled > end",
                "bills > bills settled",
                "bills settled > end",
            ],
            sim.Elements("connection")
                .Select(it => $"{it.Attribute("source")!.Value} > {it.Attribute("target")!.Value}")
        );

        IEnumerable<string> With(params string[] names) =>
            from node in sim.Elements("node")
            let values = node.Descendants("value")
                .Where(it => names.Contains(it.Parent!.Attribute("name")!.Value))
                .Select(it => it.Value)
            where values.Any()
            select string.Join(' ', values.Prepend(node.Attribute("name")!.Value));
    }

    [Theory]
    [InlineData("nodes.cpuCost", "\"queues\"", "\"nodes\": {}, \"queues\"", "\"latency\": 5", "\"cpuMilliseconds\": 5")]
    [InlineData("load.maxUsers", "\"perSecond\"", "\"maxUsers\"")]
    [InlineData("queues.in.messagesAtStart", "\"in\": {}", "\"in\": { \"messagesAtStart\": 5 }")]
    [InlineData("orders.prefetchCount", "\"replicas\"", "\"prefetchCount\": 9, \"replicas\"")]
    [InlineData("stock", "\"latency\": 30", "\"latency\": { \"samples\": [20, 40] }")]
    public async Task What_it_would_simulate_in_another_way_is_refused_with_its_field(
        string field,
        params string[] changes
    )
    {
        var (code, output, error) = await WriteAsync(
            changes
                .Chunk(2)
                .Aggregate(Orders, (text, change) => text.Replace(change[0], change[1], StringComparison.Ordinal))
        );

        Assert.Equal((2, "", false), (code, output, File.Exists(Written)));
        Assert.StartsWith($"--jmt: {field}: ", error, StringComparison.Ordinal);
    }

    [Fact]
    public Task A_stage_is_no_system() =>
        LabInMemory.RefusesAsync("--jmt is for a system", ["simulate", "2", "--jmt", Written]);

    private Task<(int ExitCode, string Output, string Error)> WriteAsync(string system)
    {
        var file = Path.Combine(_folder, "mine.json");
        File.WriteAllText(file, system);
        return LabInMemory.TypeAsync("simulate", "--system", file, "--jmt", Written);
    }
}
