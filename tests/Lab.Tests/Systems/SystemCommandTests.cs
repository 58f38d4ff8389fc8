using System.Text.Json.Nodes;
using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Systems;

public sealed class SystemCommandTests(OwnFolder folder) : IClassFixture<OwnFolder>
{
    private const string Mean = "telemetry.processMean",
        Seconds = "#/$defs/seconds";

    private const string Orders = """
        {
          "name": "orders",
          "load": { "perSecond": 32, "duration": "20m" },
          "queue": { "lockDuration": "30s" },
          "receives": "orders",
          "nodes": { "count": 2, "vCpu": 2 },
          "services": {
            "orders": {
              "replicas": 2, "maxConcurrentCalls": 4, "cpuMilliseconds": 5, "settlement": 20,
              "calls": [["stock", "payments"], "mail"]
            },
            "stock": { "cpuMilliseconds": 10, "latency": 30 },
            "payments": { "latency": { "p50": 80, "p95": 80 } },
            "mail": { "latency": { "samples": [20, 40] } }
          }
        }
        """;

    private readonly string _file = Path.Combine(folder.Path, "mine.json");

    [Fact]
    public async Task Concurrent_calls_take_as_long_as_the_longest_one()
    {
        var figures = JsonDocument.Parse((await AskAsync("simulate", "--json")).Output).RootElement;

        // CPU, the longer of two calls, the email call, and the settlement.
        Assert.Equal(5 + 80 + 30 + 20, Median(Mean), 2.0);
        Assert.InRange(Median("completed.plateau"), 31, 33);
        Assert.InRange(Median("telemetry.ageP50"), 0.125, 0.16);

        double Median(string figure) => figures.GetProperty(figure).GetProperty("median").GetDouble();
    }

    [Fact]
    public void Result_does_not_depend_on_parallel_simulation()
    {
        Write(Orders);
        var system = SystemText.Load(_file, []);

        var together = SystemFigures.For(system, Enumerable.Range(1, 6), Cancel);

        var alone = Enumerable
            .Range(1, 6)
            .Select(seed => SystemFigures.For(system, [seed], Cancel)[Mean].Median)
            .ToList();
        Assert.Equal((alone.Min(), alone.Max()), (together[Mean].Min, together[Mean].Max));
    }

    [Theory]
    [InlineData("orders.maxConcurrentCalls=1", "handlers: 2 × 1", "calls")]
    [InlineData("nodes.vCpu=1 stock.cpuMilliseconds=50", "CPU of node 0", "cpu")]
    [InlineData("orders.replicas=50", "the load", "load")]
    public async Task Plan_names_the_bottleneck(string set, string what, string kind)
    {
        var settings = set.Split(' ').SelectMany(pair => (string[])["--set", pair]).ToArray();

        var text = await AskAsync("plan", settings);
        var json = await AskAsync("plan", [.. settings, "--json"]);

        Assert.Equal(0, text.ExitCode);
        Assert.Contains(what, text.Output, StringComparison.Ordinal);
        var binds = JsonDocument.Parse(json.Output).RootElement.GetProperty("orders").GetProperty("binds");
        Assert.Equal(kind, binds.GetProperty("kind").GetString());
    }

    [Theory]
    [InlineData("\"replicas\": 2,", "\"replica\": 2,", "line 9", "services.orders.replica")]
    [InlineData("\"replicas\": 2,", "\"replicas\": 0,", "line 9", "orders.replicas must be from 1")]
    [InlineData(
        "\"replicas\": 2,",
        "\"replicas\": \"two\",",
        "line 9",
        "services.orders.replicas has to be a whole number"
    )]
    [InlineData("\"replicas\": 2,", "\"replicas\": 2, \"replicas\": 3,", "line 9", "duplicate field replicas")]
    [InlineData("\"queue\":", "\"queue\": {}, \"queue\":", "line 4", "duplicate field queue")]
    [InlineData("\"30s\"", "\"30 parsecs\"", "line 4", "queue.lockDuration")]
    [InlineData(
        "\"30s\"",
        "\"10m\"",
        "line 4",
        "queue.lockDuration=10m: expected seconds (or 500ms, 5m) from 1s to 300s"
    )]
    [InlineData("\"perSecond\": 32, ", "", "line 3", "perSecond or maxUsers")]
    [InlineData("\"p95\": 80", "\"p95\": 8", "line 13", "services.payments.latency")]
    [InlineData(
        "\"samples\": [20, 40]",
        "\"sample\": [20, 40]",
        "line 14",
        "services.mail.latency: expected milliseconds"
    )]
    [InlineData("\"mail\"]", "\"mial\"]", "line 10", "mial is not one of the services; did you mean mail?")]
    [InlineData("\"receives\": \"orders\",", "", "", "receives must be one of the services (orders, stock")]
    [InlineData(
        "\"receives\": \"orders\",",
        "\"receives\": \"order\",",
        "line 5",
        "receives must be one of the services (orders, stock, payments, mail); did you mean orders?"
    )]
    [InlineData("\"queue\":", "queue:", "line 4", "")]
    public async Task Invalid_system_file_is_rejected_with_field_and_line(
        string right,
        string wrong,
        string line,
        string field
    )
    {
        Write(Orders.Replace(right, wrong, StringComparison.Ordinal));

        foreach (
            var verb in (string[][])
                [
                    ["simulate"],
                    ["plan"],
                ]
        )
        {
            var (code, output, error) = await LabInMemory.InvokeAsync([.. verb, "--system", _file]);

            Assert.Equal((2, ""), (code, output));
            AssertHas(error, line, field);
            Assert.DoesNotContain("DroneDelivery", error, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("--full can't be combined with --system", "--full")]
    [InlineData("Specify either stages or --system", "4")]
    [InlineData("--set order.replicas=2: expected FIELD=VALUE", "--set", "order.replicas=2")]
    [InlineData("services.orders.replica", "--set", "orders.replica=2")]
    public Task Incompatible_options_are_rejected(string why, params string[] words)
    {
        Write(Orders);
        return LabInMemory.AssertRejectedAsync(why, ["simulate", "--system", _file, .. words]);
    }

    [Fact]
    public void System_file_of_the_application_has_the_services_defaults()
    {
        var file = JsonDocument.Parse(File.ReadAllText(SystemOf("drone-delivery"))).RootElement;
        var ours = SystemText.Load(SystemOf("drone-delivery"), []);
        string[] knobs =
        [
            "workflow.maxConcurrentCalls",
            "workflow.prefetchCount",
            "workflow.maxAutoLockRenewalDuration",
            "workflow.retryFor",
            "workflow.retryDelay",
            "queue.lockDuration",
            "queue.maxDeliveryCount",
            "http.retryJitter",
            "http.attemptTimeout",
            "http.breakerFailureRatio",
            "http.breakerMinimumThroughput",
            "http.breakerSamplingDuration",
            "http.breakerBreakDuration",
        ];

        Assert.All(knobs, knob => Assert.Equal(KnobSet.Empty.Number(knob), ours.Knobs.Number(knob)));
        Assert.Equal(KnobSet.Empty.Numbers("http.retryDelays"), ours.Knobs.Numbers("http.retryDelays"));
        Assert.Equal(
            Service.All.Select(service => service.Name),
            file.GetProperty("services").EnumerateObject().Select(it => it.Name)
        );
    }

    /// <summary>Editors complete exactly the fields that the lab reads.</summary>
    [Theory]
    [InlineData(typeof(SystemFile), "")]
    [InlineData(typeof(SystemLoad), "load")]
    [InlineData(typeof(SystemPart), "queue", "queue")]
    [InlineData(typeof(SystemNodes), "nodes", "nodes")]
    [InlineData(typeof(SystemPart), "http", "http")]
    [InlineData(typeof(SystemService), "services", "workflow")]
    public void Schema_contains_the_fields_of_the_file(Type part, string name, string settings = "")
    {
        string[] read =
        [
            .. part.GetProperties()
                .Where(property => property.CanWrite && property.Name != nameof(SystemFile.Knobs))
                .Select(property =>
                    property.Name == nameof(SystemFile.Schema)
                        ? "$schema"
                        : JsonNamingPolicy.CamelCase.ConvertName(property.Name)
                ),
            .. SystemText.FieldsOf(settings).Select(setting => setting.Field),
        ];
        Assert.Equal(read.Order(), SchemaOf(name).Select(field => field.Key).Order());
    }

    [Theory]
    [InlineData("queue", "queue")]
    [InlineData("nodes", "nodes")]
    [InlineData("http", "http")]
    [InlineData("services", "workflow")]
    public void Schema_contains_range_default_and_meaning_of_each_setting(string part, string group)
    {
        Write("""{ "load": { "perSecond": 1 }, "receives": "one", "services": { "one": {} } }""");
        var (schema, defaults) = (SchemaOf(part), SystemText.Load(_file, []).Knobs);

        Assert.All(SystemText.FieldsOf(group), setting =>
        {
            var expected = Definition(setting.Knob, defaults[setting.Knob.Name]);
            Assert.True(JsonNode.DeepEquals(expected, schema[setting.Field]), $"{setting.Field}: {expected}");
        });
    }

    private static readonly Dictionary<string, string> Implied = new()
    {
        ["queue.messagesAtStart"] = "0",
        ["nodes.count"] = "1",
        ["nodes.vCpu"] = "1",
        ["nodes.placement"] = "RoundRobin",
    };

    private static JsonObject SchemaOf(string part)
    {
        var schema = JsonNode.Parse(File.ReadAllText(SystemOf("schema")))!;
        var it = part.Length == 0 ? schema : schema["properties"]![part]!;
        return (part == "services" ? it["additionalProperties"]! : it)["properties"]!.AsObject();
    }

    private static JsonObject Definition(Knob knob, KnobValue? bare)
    {
        var definition = knob.Unit switch
        {
            KnobUnit.Word => new JsonObject { ["enum"] = JsonSerializer.SerializeToNode(knob.Words) },
            KnobUnit.Seconds => new() { ["$ref"] = Seconds },
            KnobUnit.SecondsList => new()
            {
                ["type"] = "array",
                ["items"] = new JsonObject { ["$ref"] = Seconds },
            },
            _ => new()
            {
                ["type"] = knob.Unit == KnobUnit.Count ? "integer" : "number",
                ["minimum"] = knob.Min,
                ["maximum"] = knob.Unit == KnobUnit.Count ? Math.Max(SystemText.Most, knob.Max) : knob.Max,
            },
        };
        if (bare?.Word is { } word)
            definition["default"] = word;
        else if (knob.Unit == KnobUnit.SecondsList)
            definition["default"] = JsonSerializer.SerializeToNode(bare!.Numbers);
        else if ((bare?.Number ?? knob.Default) is { } number)
            definition["default"] = number;
        var range = knob.Unit is KnobUnit.Seconds or KnobUnit.SecondsList ? $"; from {knob.Min} to {knob.Max} s" : "";
        // A system has no stage and no environment whose value a setting could replace.
        var meaning = knob.Meaning.Split("; replaces ")[0];
        var implied = Implied.TryGetValue(knob.Name, out var value) ? $"; default: {value}" : "";
        definition["description"] = meaning + range + implied;
        return definition;
    }

    private static string SystemOf(string name) => Path.Combine(Repository.Root, "loadtest", "systems", $"{name}.json");

    private void Write(string text) => File.WriteAllText(_file, text);

    private Task<(int ExitCode, string Output, string Error)> AskAsync(string verb, params string[] words)
    {
        Write(Orders);
        return LabInMemory.InvokeAsync([verb, "--system", _file, .. words]);
    }
}
