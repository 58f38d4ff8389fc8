using System.Globalization;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Tests.Calibrations;

public sealed class CalibrateCommandTests(OwnFolder folder) : IClassFixture<OwnFolder>
{
    private static readonly DeclaredEnvironment Declared = DeclaredEnvironment.Load("azure-2020");

    private const string Header = "timestamp,name,target,duration,success\n";

    [Fact]
    public async Task What_telemetry_was_made_of_comes_back_and_into_the_file_of_a_system_and_simulate_and_plan_take_it()
    {
        var latency = Declared.Latency.ToDictionary(
            it => it.Key,
            it => new LogNormal(it.Value.Mu + 0.5, it.Value.Sigma * 1.2)
        );
        var costs = Declared.Nodes!.CpuMilliseconds.ToDictionary(it => it.Key, it => 0.7 * it.Value);
        var telemetry = Kept(
            new WrittenTelemetry(1) { Costs = costs, SystemShare = 11 }.Write(40, latency),
            "export.csv"
        );
        var file = telemetry + ".json";

        var (code, output, error) = await LabInMemory.TypeAsync(
            "calibrate",
            telemetry,
            "--out",
            file,
            "--environment",
            "azure-2020"
        );

        Assert.Equal((0, ""), (code, error));
        Assert.Contains("The system takes 11.0 % of a node.", output, StringComparison.Ordinal);
        Assert.DoesNotContain("Warning", output, StringComparison.Ordinal);
        var calibrated = DeclaredEnvironment.Load(file);
        foreach (var (process, expected) in latency)
        {
            Assert.Equal(expected.Mu, calibrated.Latency[process].Mu, 0.03);
            Assert.Equal(expected.Sigma, calibrated.Latency[process].Sigma, 0.03);
        }

        foreach (var (service, expected) in costs)
            Assert.Equal(expected, calibrated.Nodes!.CpuMilliseconds[service], 0.02 * expected);
        Assert.Equal(0.22, calibrated.Nodes!.System.Servers, 0.005);
        const string Rate = "completed.plateau";
        Assert.NotEqual(
            (await LabInMemory.SimulateAsync("2"))(Rate),
            (await LabInMemory.SimulateAsync("2", "--environment", file))(Rate)
        );
        Assert.Equal(0, (await LabInMemory.TypeAsync("plan", "2", "--environment", file)).ExitCode);

        var system = Path.Combine(Repository.Root, "loadtest", "systems", "drone-delivery.json");
        (code, output, error) = await LabInMemory.TypeAsync("calibrate", telemetry, "--system", system, "--out", file);

        Assert.Equal((0, ""), (code, error));
        Assert.Contains("workflow.settlement", output, StringComparison.Ordinal);
        var services = SystemText.Load(file, []).Services!;
        Assert.Equal(latency["broker"].Mu, Assert.IsType<LogNormal>(services["workflow"].Settlement).Mu, 0.03);
        Assert.Equal(latency["delivery"].Mu, Assert.IsType<LogNormal>(services["delivery"].Latency).Mu, 0.03);
        Assert.Equal(costs["workflow"], services["workflow"].CpuMilliseconds!.Mean, 0.02 * costs["workflow"]);
        Assert.Equal(9, services["package"].Replicas);
    }

    [Fact]
    public async Task Telemetry_of_other_services_fits_no_system_and_a_file_that_no_memory_holds_is_refused()
    {
        var telemetry = Kept(Header + "2026-11-20T08:00:00Z,GET /,elsewhere,12,true\n", "other.csv");
        var system = Path.Combine(Repository.Root, "loadtest", "systems", "reference-2000.json");

        await LabInMemory.RefusesAsync(
            "expected targets package, dronescheduler, delivery",
            ["calibrate", telemetry, "--system", system]
        );
        using (var stream = File.OpenWrite(telemetry))
            stream.SetLength(257L << 20); // takes no room on the disk
        await LabInMemory.RefusesAsync("more than 256 MiB", ["calibrate", telemetry]);
    }

    [Fact]
    public async Task What_processes_use_without_requests_belongs_to_the_system_and_not_to_the_requests()
    {
        var telemetry = Kept(
            new WrittenTelemetry(2) { Idle = 12, SystemShare = 5 }.Write(40, Declared.Latency),
            "idle.csv"
        );

        var report = await LabInMemory.JsonAsync("calibrate", telemetry);

        Assert.Equal(
            60,
            report.GetProperty("costs").GetProperty("workflow").GetProperty("milliseconds").GetDouble(),
            0.5
        );
        Assert.Equal(0.12, report.GetProperty("costs").GetProperty("workflow").GetProperty("idle").GetDouble(), 0.01);
        // 5 % and five processes of 0.12 cores on four vCPUs.
        Assert.Equal(5 + 15, report.GetProperty("systemShare").GetDouble(), 0.5);
    }

    [Fact]
    public async Task Latencies_alone_are_enough_and_what_is_not_measured_or_is_of_two_kinds_is_named()
    {
        var calls = new WrittenTelemetry(3)
            .Write(10, Declared.Latency)
            .Csv.Split('\n')
            .Where(line => line.Contains("dependency"));
        var mixed = calls.Select(
            (line, i) => i % 20 < 5 && line.Contains(",package.", StringComparison.Ordinal) ? Slower(line) : line
        );
        var telemetry = Kept(WrittenTelemetry.AllColumns + "\n" + string.Join('\n', mixed), "calls.csv");

        var (code, output, _) = await LabInMemory.TypeAsync("calibrate", telemetry);

        Assert.Equal(0, code);
        AssertHas(
            output,
            "No CPU telemetry of ingestion, workflow, package, dronescheduler, delivery",
            "The system's share of a node cannot be told",
            "Nothing is kept",
            "Warning: package: Two humps"
        );
        AssertLacks(output, "Warning: delivery");
    }

    [Fact]
    public async Task Nodes_that_no_telemetry_names_are_warned_about()
    {
        var telemetry = Kept(
            new WrittenTelemetry(5) { VCpu = 4, SystemShare = 0 }.Write(30, Declared.Latency),
            "large.csv"
        );

        var (_, output, _) = await LabInMemory.TypeAsync("calibrate", telemetry);

        Assert.Contains(
            "nodes.count (6) and nodes.vCpu (2) are those of azure-2020",
            Unwrapped(output),
            StringComparison.Ordinal
        );
        Assert.Contains(
            "The requests cost more CPU than nodes of 2 vCPUs were busy with",
            Unwrapped(output),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void The_nodes_of_a_run_are_those_that_its_knobs_made()
    {
        var nodes = CalibratedRun
            .PlayedIn(PlayedByArithmetic.Run("run 2 --set nodes.vCpu=4 --set nodes.count=9").Stages[0])
            .Nodes!;

        Assert.Equal((9, 4), (nodes.Count, nodes.VCpu));
    }

    [Theory]
    [InlineData(
        "timestamp [UTC],name,target,duration,success",
        "\"11/20/2026, 8:00:00.123 AM\",\"Put, \"\"it\"\"\",package,12.5,True"
    )]
    [InlineData(
        "TimeGenerated,Name,Target,DurationMs,Success",
        "2026-11-20T08:00:00Z,PUT,drone-delivery-package,12.5,1"
    )]
    public async Task Columns_may_be_named_as_the_portal_and_a_workspace_name_them(string header, string row)
    {
        var telemetry = Kept(header + "\r\n" + string.Concat(Enumerable.Repeat(row + "\r\n", 40)), "portal.csv");

        var report = await LabInMemory.JsonAsync("calibrate", telemetry);

        Assert.Equal(40, report.GetProperty("latencies").GetProperty("package").GetProperty("count").GetInt32());
    }

    [Fact]
    public async Task The_answer_of_the_API_and_an_array_of_objects_say_the_same_as_CSV()
    {
        var rows = Enumerable
            .Range(0, 40)
            .Select(i => new object[] { "2026-11-20T08:00:00Z", "PUT", "delivery", 30 + i, true })
            .ToList();
        string[] names = ["timestamp", "name", "target", "duration", "success"];
        var table = new
        {
            name = "PrimaryResult",
            columns = names.Select(name => new { name }),
            rows,
        };
        var api = Kept(JsonSerializer.Serialize(new { tables = new[] { table } }), "api.json");
        var objects = Kept(
            JsonSerializer.Serialize(rows.Select(row => names.Zip(row).ToDictionary(it => it.First, it => it.Second))),
            "objects.json"
        );

        var (first, second) = (
            await LabInMemory.JsonAsync("calibrate", api),
            await LabInMemory.JsonAsync("calibrate", objects)
        );

        Assert.Equal(40, first.GetProperty("latencies").GetProperty("delivery").GetProperty("count").GetInt32());
        Assert.Equal(first.GetProperty("latencies").ToString(), second.GetProperty("latencies").ToString());
    }

    [Theory]
    [InlineData("timestamp,name,target,success\n", "the column duration is missing")]
    [InlineData("", "the column timestamp is missing")]
    [InlineData(Header + "2026-11-20T08:00Z,a,package,soon,True\n", "line 2: duration is 'soon', expected a number")]
    [InlineData(Header + "never,a,package,1,True\n", "line 2: timestamp is 'never', expected a time")]
    [InlineData(Header + "2026-11-20T08:00Z,a,package,1,maybe\n", "line 2: success is 'maybe', expected True or False")]
    [InlineData(Header + "2026-11-20T08:00Z,a\n", "line 2 has 2 fields, and the header has 5")]
    [InlineData(Header + "\"open\n", "a quote is not closed")]
    [InlineData(Header + "2026-11-20T08:00Z,a,package,1,True\n", "no dependency has 30 calls")]
    public Task Telemetry_that_is_not_enough_is_said_in_one_line(string text, string message) =>
        LabInMemory.RefusesAsync(message, ["calibrate", Kept(text, "wrong.csv")]);

    private static string Unwrapped(string output) =>
        string.Join(' ', output.Split((char[])[' ', '\n'], StringSplitOptions.RemoveEmptyEntries));

    private static string Slower(string line)
    {
        var cells = line.Split(',');
        cells[6] = (double.Parse(cells[6], CultureInfo.InvariantCulture) * 20).ToString(CultureInfo.InvariantCulture);
        return string.Join(',', cells);
    }

    private string Kept(WrittenTelemetry telemetry, string name) => Kept(telemetry.Csv, name);

    private string Kept(string text, string name)
    {
        var file = Path.Combine(folder.Path, name);
        File.WriteAllText(file, text);
        return file;
    }
}
