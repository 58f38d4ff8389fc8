namespace DroneDelivery.Lab.Tests.Commands;

public sealed class PlanCommandTests
{
    [Fact]
    public async Task Several_stages_are_listed_with_their_bottlenecks()
    {
        var plans = await LabInMemory.JsonAsync("plan", "2", "4", "6", "--full");

        Assert.Equal(["2", "4", "6"], plans.EnumerateObject().Select(plan => plan.Name));
        Assert.Equal(("calls", 12.2), Binds(plans.GetProperty("2"), "binds"));
        Assert.Equal("cpu", Binds(plans.GetProperty("2"), "next").Kind);
        Assert.Equal(("lock", 0.0), Binds(plans.GetProperty("4"), "binds"));
        Assert.Equal(("cpu", 70.8), Binds(plans.GetProperty("4"), "next"));
        Assert.Equal(("load", 80.0), Binds(plans.GetProperty("6"), "binds"));
        Assert.Equal("workflow", plans.GetProperty("4").GetProperty("next").GetProperty("service").GetString());
    }

    [Fact]
    public async Task Plan_of_one_stage_shows_formulas_and_simulation()
    {
        var (code, output, _) = await LabInMemory.InvokeAsync("plan", "5", "--full");
        var plan = await PlanAsync("5", "--full");

        Assert.Equal(0, code);
        Assert.Matches(@"completed, full load +│ 70\.8/s +│ 70\.\d/s", output);
        Assert.Matches(@"bottleneck +│ CPU of node \d, 20 of 26 ms per delivery for workflow: 70\.8/s", output);
        Assert.Matches(@"time to drain the queue +│ \d+s +│ \d+s", output);
        Assert.Equal(70.8, Math.Round(plan.GetProperty("rate").GetDouble(), 1));
        Assert.InRange(
            plan.GetProperty("simulated").GetProperty("completed.plateau").GetProperty("median").GetDouble(),
            70,
            71.5
        );
        // Half of 300 s × 70.8/s / 3 + 20 / 2.
        Assert.InRange(plan.GetProperty("safePrefetch").GetInt32(), 3540, 3550);
    }

    [Fact]
    public async Task Rate_replaces_the_users_of_the_stage()
    {
        var small = await PlanAsync("6", "--rate", "33.3");

        Assert.Equal(("load", 33.3), Binds(small, "binds"));
        Assert.Equal(
            33.3,
            small.GetProperty("simulated").GetProperty("completed.plateau").GetProperty("median").GetDouble(),
            1.0
        );
    }

    [Fact]
    public async Task Plan_without_emulation_has_no_limits()
    {
        var plan = await PlanAsync("2", "--environment", "none");
        var stopped = await PlanAsync("2", "--environment", "none", "--set", "workflow.replicas=0");
        var (code, output, _) = await LabInMemory.InvokeAsync("plan", "2", "--environment", "none");

        Assert.Equal(("load", 80.0), Binds(plan, "binds"));
        Assert.Equal(JsonValueKind.Null, plan.GetProperty("safePrefetch").ValueKind);
        Assert.Equal(("calls", 0.0), Binds(stopped, "binds"));
        Assert.Equal(0, code);
        AssertLacks(output, "2,147,483,647", "∞");
    }

    [Fact]
    public async Task Shortened_plan_shows_the_safe_prefetch_at_full_scale()
    {
        var (full, quick) = (await PlanAsync("4", "--full"), await PlanAsync("4"));

        Assert.Equal(
            full.GetProperty("safePrefetch").GetDouble(),
            quick.GetProperty("safePrefetchAsTyped").GetDouble()
        );
    }

    [Theory]
    [InlineData("--rate -5: expected a number above 0", "plan", "2", "--rate", "-5")]
    [InlineData("--rate 1e9: expected a number above 0, at most 2,000", "plan", "2", "--rate", "1e9")]
    [InlineData(
        "--rate sets the number of users and can't be combined with load.maxUsers",
        "plan",
        "4",
        "--rate",
        "9",
        "--set",
        "load.maxUsers=10"
    )]
    [InlineData(
        "prefetchCont is not a knob. Did you mean workflow.prefetchCount",
        "plan",
        "2",
        "--set",
        "workflow.prefetchCont=1"
    )]
    [InlineData(
        "redis.deliveriesThatFit=100 counts deliveries with",
        "plan",
        "2",
        "--set",
        "redis.deliveriesThatFit=100"
    )]
    public Task Invalid_option_is_rejected_in_one_line(string why, params string[] words) =>
        LabInMemory.AssertRejectedAsync(why, words);

    private static async Task<JsonElement> PlanAsync(params string[] words) =>
        (await LabInMemory.JsonAsync(["plan", .. words])).GetProperty(words[0]);

    private static (string Kind, double Rate) Binds(JsonElement plan, string which) =>
        (
            plan.GetProperty(which).GetProperty("kind").GetString()!,
            Math.Round(plan.GetProperty(which).GetProperty("rate").GetDouble(), 1)
        );
}
