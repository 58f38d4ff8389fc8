namespace DroneDelivery.Lab.Tests.Tuning;

public sealed class TuneCommandTests
{
    [Theory]
    [InlineData("80", "--no-loss")]
    [InlineData("40", "--no-loss", "--drain", "60s")]
    [InlineData("20", "--no-loss", "--set", "nodes.count=6")]
    [InlineData("70", "--no-loss", "--stage", "5")]
    [InlineData("30", "--no-loss", "--stage", "1")]
    public async Task Found_configuration_passes_where_smaller_ones_fail(string rate, params string[] words)
    {
        var tuned = await TuneAsync(["--rate", rate, .. words]);

        Assert.True(tuned.GetProperty("possible").GetBoolean(), $"{tuned.GetProperty("why")}");
        Assert.False(tuned.GetProperty("isExhausted").GetBoolean());
        Assert.DoesNotMatch("\"-?(Infinity|NaN)\"", $"{tuned}");
        var figures = await SimulateAsync(tuned.GetProperty("setting"), words);
        Assert.InRange(figures("completed.plateau"), 0.96 * double.Parse(rate), double.MaxValue);
        Assert.Equal((0, 0, 0), (figures("redelivered"), figures("deadLettered.final"), figures("http.5xx")));
        var smaller = tuned.GetProperty("smaller").EnumerateArray().ToList();
        Assert.NotEmpty(smaller);
        Assert.All(smaller, it => Assert.NotEqual("holds", it.GetProperty("answer").GetString()));
        Assert.All(smaller, it =>
            Assert.Contains(", expected ", it.GetProperty("why").GetString(), StringComparison.Ordinal)
        );
    }

    [Fact]
    public async Task Latency_goal_requires_a_larger_configuration()
    {
        var without = await TuneAsync("--rate", "30", "--no-loss");
        var with = await TuneAsync("--rate", "30", "--no-loss", "--p95", "500ms");

        Assert.InRange(without.GetProperty("simulations").GetInt32(), 1, 100);
        Assert.InRange(
            without.GetProperty("predicted").GetProperty("telemetry.ageP95").GetDouble(),
            0.5,
            double.MaxValue
        );
        Assert.InRange(with.GetProperty("predicted").GetProperty("telemetry.ageP95").GetDouble(), 0, 0.5);
        Assert.Contains(with.GetProperty("smaller").EnumerateArray(), it =>
            it.GetProperty("why").GetString()!.Contains("telemetry.ageP95", StringComparison.Ordinal)
        );
    }

    [Fact]
    public async Task Drain_goal_requires_a_larger_configuration()
    {
        // The queue starts with 20,000 messages, which need not be drained.
        var without = await TuneAsync("--rate", "40", "--stage", "5");
        var with = await TuneAsync("--rate", "40", "--stage", "5", "--drain", "20s");

        Assert.InRange(with.GetProperty("predicted").GetProperty("drain").GetDouble(), 0, 20);
        Assert.NotEqual($"{without.GetProperty("setting")}", $"{with.GetProperty("setting")}");
    }

    [Fact]
    public async Task Output_shows_settings_command_and_rejected_smaller_ones()
    {
        var (code, output, _) = await LabInMemory.InvokeAsync("tune", "--rate", "80", "--no-loss");

        Assert.Equal(0, code);
        Assert.Matches(@"Goal: 80/s: incoming\.plateau ≥ 77\.6/s, .*, redelivered ≤ 0", output);
        Assert.Matches(@"smaller configuration .*why it fails", output);
        Assert.Matches(@"To run this configuration: \./lab run 2 --set .*workflow\.maxConcurrentCalls=\d+", output);
    }

    [Theory]
    [InlineData(
        "./lab run 2 --environment azure-2020 --k 4 --seed 3 --set ",
        "--k",
        "4",
        "--seed",
        "3",
        "--environment",
        "azure-2020"
    )]
    [InlineData("./lab run 2 --full --set ", "--full")]
    [InlineData("The run may end before its queue is empty", "--drain", "60s")]
    public async Task Run_command_has_scale_environment_and_seed_of_the_search(string expected, params string[] words)
    {
        var (_, output, _) = await LabInMemory.InvokeAsync(["tune", "--rate", "8", .. FewSettings, .. words]);

        Assert.Contains(expected, output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Prefetch_count_does_not_depend_on_the_scale()
    {
        foreach (
            var length in (string[][])
                [
                    ["--full"],
                    ["--k", "8"],
                    ["--k", "16"],
                ]
        )
        {
            var setting = (await TuneAsync(["--rate", "8", .. FewSettings, .. length])).GetProperty("setting");
            Assert.Equal(32 * Number("workflow.maxConcurrentCalls"), Number("workflow.prefetchCount"));

            int Number(string knob) => int.Parse(setting.GetProperty(knob).GetString()!);
        }
    }

    [Theory]
    [InlineData("CPU of node", "--set", "nodes.count=4")]
    [InlineData("handlers: 2 × 3: 24.4/s", "--set", "workflow.maxConcurrentCalls=3", "--replicas", "workflow=2")]
    [InlineData("CPU of node", "--set", "nodes.count=12", "--replicas", "workflow=1")]
    [InlineData("CPU of node", "--replicas", "workflow=1")]
    public async Task Unreachable_goal_reports_the_tightest_limit(string message, params string[] words)
    {
        var (code, output, _) = await LabInMemory.InvokeAsync(["tune", "--rate", "80", "--no-loss", .. words]);

        Assert.Equal(1, code);
        AssertHas(output, "No configuration meets the goal. Closest: ", "Bottleneck: " + message);
    }

    [Theory]
    [InlineData("--rate -5: expected a number from 0.5 to 2,000.", "--rate", "-5")]
    [InlineData("--rate", "--no-loss")]
    [InlineData("--rate nonsense: expected", "--rate", "nonsense")]
    [InlineData("--drain=soon: expected seconds", "--rate", "80", "--drain", "soon")]
    [InlineData("environment none declares no nodes", "--rate", "80", "--environment", "none")]
    [InlineData(
        "load.duration=60 is too short: all 40 users are active only after 285 s",
        "--rate",
        "80",
        "--set",
        "load.duration=60s"
    )]
    [InlineData("The ramp of step-40 allows up to 1884/s", "--rate", "1900")]
    public Task Invalid_option_is_rejected_in_one_line(string message, params string[] words) =>
        LabInMemory.AssertRejectedAsync(message, ["tune", .. words]);

    // Only the number of calls remains to be searched.
    private static readonly string[] FewSettings =
    [
        "--set",
        "nodes.count=4",
        "--replicas",
        "ingestion=2,workflow=2,package=2,dronescheduler=2,delivery=2",
    ];

    private static Task<JsonElement> TuneAsync(params string[] words) => LabInMemory.JsonAsync(["tune", .. words]);

    private static IEnumerable<string> Typed(JsonElement setting) =>
        setting.EnumerateObject().SelectMany(knob => new[] { "--set", $"{knob.Name}={knob.Value.GetString()}" });

    private static Task<Func<string, double>> SimulateAsync(JsonElement setting, string[] words)
    {
        var stage = Array.IndexOf(words, "--stage") is >= 0 and var at ? words[at + 1] : "2";
        return LabInMemory.SimulateAsync([stage, "--seed", "77", .. Typed(setting)]);
    }
}
