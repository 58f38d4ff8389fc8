namespace DroneDelivery.Lab.Tests.Commands;

/// <summary><c>lab plan</c>, in memory.</summary>
public sealed class PlanCommandTests
{
    private const string Head = "target,percentile_duration_50,percentile_duration_95\n";

    private static readonly string Folder = Directory.CreateTempSubdirectory("lab-plan").FullName;

    [Fact]
    public async Task Several_stages_are_a_line_each_with_what_binds_and_what_binds_next()
    {
        var (code, output, _) = await LabInMemory.TypeAsync("plan", "2", "4", "6", "--full", "--json");

        var plans = JsonDocument.Parse(output).RootElement;
        Assert.Equal(0, code);
        Assert.Equal(["2", "4", "6"], plans.EnumerateObject().Select(plan => plan.Name));
        Assert.Equal(("calls", 12.2), Binds(plans.GetProperty("2"), "binds"));
        Assert.Equal("cpu", Binds(plans.GetProperty("2"), "next").Kind);
        Assert.Equal(("lock", 0.0), Binds(plans.GetProperty("4"), "binds"));
        Assert.Equal(("cpu", 70.8), Binds(plans.GetProperty("4"), "next"));
        Assert.Equal(("load", 80.0), Binds(plans.GetProperty("6"), "binds"));
        Assert.Equal("workflow", plans.GetProperty("4").GetProperty("next").GetProperty("service").GetString());
    }

    [Fact]
    public async Task A_table_names_what_binds_and_what_binds_next()
    {
        var (code, output, _) = await LabInMemory.TypeAsync("plan", "2", "5", "6", "--full");

        Assert.Equal(0, code);
        Assert.Matches(@"2 +│ +80/s │ +12\.2/s │ +12\.\d/s │ handlers: 3 × 1: 12\.2/s +│ CPU of node", output);
        Assert.Matches(@"5 +│ +80/s │ +70\.8/s │ +70\.\d/s │ CPU of node 3: 70\.8/s", output);
        Assert.Matches(@"6 +│ +80/s │ +80/s │ +80\.\d/s │ the load: 80/s", output);
    }

    [Fact]
    public async Task JSON_has_rate_binding_prefetch_and_cost_beside_what_is_simulated()
    {
        var plan = await PlanAsync("5", "--full");

        Assert.Equal(70.8, Math.Round(plan.GetProperty("rate").GetDouble(), 1));
        Assert.InRange(plan.GetProperty("simulated").GetProperty("completed.plateau").GetProperty("median").GetDouble(), 70, 71.5);
        // Half of 300 s × 70.8/s / 3 + 20 / 2.
        Assert.InRange(plan.GetProperty("safePrefetch").GetInt32(), 3540, 3550);
        var cost = plan.GetProperty("cost");
        Assert.True(cost.GetProperty("isEstimate").GetBoolean());
        Assert.Equal(
            cost.GetProperty("lines").EnumerateArray().Sum(line => line.GetProperty("perMonth").GetDouble()),
            cost.GetProperty("perMonth").GetDouble(),
            3.0);
    }

    [Fact]
    public async Task One_stage_is_a_sheet_with_formulas_and_simulation_beside_each_other()
    {
        var (code, output, _) = await LabInMemory.TypeAsync("plan", "5", "--full");

        Assert.Equal(0, code);
        Assert.Matches(@"completed, all users active +│ 70\.8/s +│ 70\.\d/s", output);
        Assert.Matches(@"what binds +│ CPU of node \d, 20 of 26 ms a delivery for workflow: 70\.8/s", output);
        Assert.Matches(@"drained after the load in +│ \d+s +│ \d+s", output);
        Assert.Matches(@"together +│ +│ +\d", output);
        Assert.Contains("An estimate", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Rate_latencies_and_costs_that_are_known_take_the_place_of_those_of_the_stage()
    {
        var fast = await PlanAsync("2", "--latency", "broker=10/10", "--latency", "delivery=37/37", "--cpu", "workflow=30,package=3");

        // 10 + 37 + 30 ms, and the means of Package (12.3) and DroneScheduler (22.8).
        Assert.Equal(3 / 0.1121, Binds(fast, "binds").Rate, 0.2);
        var small = await PlanAsync("6", "--rate", "33.3");
        Assert.Equal(("load", 33.3), Binds(small, "binds"));
        Assert.Equal(33.3, small.GetProperty("simulated").GetProperty("completed.plateau").GetProperty("median").GetDouble(), 1.0);
        Assert.True(Cost(small) < Cost(await PlanAsync("6")));
    }

    [Fact]
    public async Task A_target_is_answered_with_nodes_and_replicas_that_simulate_to_it()
    {
        var target = (await PlanAsync("5-clean", "--target", "120")).GetProperty("target");

        Assert.True(target.GetProperty("isPossible").GetBoolean());
        Assert.InRange(target.GetProperty("nodes").GetInt32(), 8, 14);
        string[] set =
        [
            $"nodes.count={target.GetProperty("nodes").GetInt32()}",
            .. target.GetProperty("replicas").EnumerateObject().Select(service => $"{service.Name}.replicas={service.Value.GetInt32()}"),
        ];
        var played = await PlanAsync(["5-clean", "--rate", "120", .. set.SelectMany(knob => (string[])["--set", knob])]);
        Assert.InRange(played.GetProperty("simulated").GetProperty("completed.plateau").GetProperty("median").GetDouble(), 110, 121);
    }

    [Fact]
    public async Task An_impossible_target_says_what_makes_it_impossible()
    {
        var (code, _, error) = await LabInMemory.TypeAsync("plan", "2", "--target", "500");

        Assert.Equal(1, code);
        const string Why = "Stage 2: impossible with 100 nodes and 20 replicas of each service: handlers: 20 × 1: 81.";
        Assert.StartsWith(Why, error, StringComparison.Ordinal);
        Assert.EndsWith("/s, and 500/s are wanted.", error.TrimEnd(), StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.TrimEnd());
    }

    [Fact]
    public async Task A_burst_a_retention_and_a_database_are_answered()
    {
        var plan = await PlanAsync("6", "--full", "--burst", "5000", "--retention", "30d", "--database-rate", "100");

        Assert.Equal(("database", 50.0), Binds(plan, "binds"));
        var burst = plan.GetProperty("burst");
        // Stage 6 completes 138.0/s while 80/s come in.
        Assert.Equal(5000 / 58.0, burst.GetProperty("seconds").GetDouble(), 4.0);
        Assert.False(burst.GetProperty("losesLocks").GetBoolean());
        // 80/s × 30 days × 1,500 bytes.
        Assert.Equal(80 * 30 * 86_400.0 * 1500, plan.GetProperty("redisBytes").GetDouble(), 1e8);
    }

    [Fact]
    public async Task Latencies_come_from_a_table_of_Azure_or_of_the_lab()
    {
        var csv = await FileAsync("latencies.csv", """
            target,percentile_duration_50,percentile_duration_95,calls
            delivery,37,57,1000
            dronescheduler,21,41,1000
            https://mine.servicebus.windows.net/,10,10,1000
            package,12,17,1000
            """);
        var json = await FileAsync("latencies.json", """
            {"tables":[{"name":"PrimaryResult","columns":[{"name":"target"},{"name":"percentile_duration_50"},{"name":"percentile_duration_95"}],
            "rows":[["delivery",37,57],["dronescheduler",21,41],["mine/delivery-requests",10,10],["package",12,17]]}]}
            """);

        var plan = await PlanAsync("2", "--latencies", csv);

        // 10 ms of settlement instead of 112.
        Assert.InRange(Binds(plan, "binds").Rate, 20, 21.5);
        Assert.Equal(Binds(plan, "binds"), Binds(await PlanAsync("2", "--latencies", json), "binds"));
    }

    [Theory]
    [InlineData("target,p50,p95\ndelivery,1,2", "has no column percentile_duration_50, only target, p50, p95")]
    [InlineData(Head + "delivery,x,2", "percentile_duration_50 of delivery is x, and no number")]
    [InlineData(Head + "delivery,5,2", "a median of 5 ms and a 95th percentile of 2 ms cannot be")]
    [InlineData(Head + "a,1,2\nb,1,2", "two rows for broker; one is of the target b")]
    [InlineData(Head, "has no rows")]
    [InlineData("{\"tables\":[]}", "neither rows nor tables")]
    [InlineData("{\"tables\":", "latencies")]
    [InlineData(Head + "delivery,37,57\ndelivery,37", "line 3 has 2 fields, and the header has 3")]
    [InlineData(Head + "\"delivery,37,57", "a quote is not closed")]
    [InlineData("target,target\ndelivery,37", "two columns are named target")]
    [InlineData("[1,2]", "no rows of columns")]
    [InlineData("{\"tables\":[{}]}", "no rows of columns")]
    [InlineData("{\"tables\":[{\"columns\":[{\"name\":\"target\"}],\"rows\":[3]}]}", "no rows of columns")]
    [InlineData("[{\"target\":\"a\",\"percentile_duration_50\":1}]", "has no column percentile_duration_95")]
    [InlineData(
        "[{\"target\":\"a\",\"percentile_duration_50\":1,\"percentile_duration_95\":2},{\"target\":\"delivery\"}]",
        "row 2 of")]
    public async Task Telemetry_that_lacks_something_is_refused_in_one_line(string text, string why)
    {
        var file = await FileAsync($"{Guid.NewGuid():N}-latencies.csv", text);

        await RefusesAsync(why, "plan", "2", "--latencies", file);
    }

    [Fact]
    public async Task A_target_with_a_comma_is_one_field()
    {
        var file = await FileAsync("comma.csv", Head + "\"https://mine.servicebus.windows.net/,queue\",10,10\n");

        Assert.InRange(Binds(await PlanAsync("2", "--latencies", file), "binds").Rate, 20, 21.5);
    }

    [Fact]
    public async Task A_file_that_is_far_too_long_is_refused_before_it_is_read()
    {
        var file = await FileAsync("long.csv", Head);
        using (var stream = File.OpenWrite(file))
            stream.SetLength(1L << 30);

        await RefusesAsync("long.csv has 1,024 MiB", "plan", "2", "--latencies", file);
    }

    [Fact]
    public async Task Where_nothing_is_emulated_no_limit_is_invented()
    {
        var plan = await PlanAsync("2", "--environment", "none", "--target", "10");
        var stopped = await PlanAsync("2", "--environment", "none", "--set", "workflow.replicas=0");
        var (code, output, _) = await LabInMemory.TypeAsync("plan", "2", "--environment", "none", "--target", "10");

        Assert.Equal(("load", 80.0), Binds(plan, "binds"));
        Assert.Equal(JsonValueKind.Null, plan.GetProperty("safePrefetch").ValueKind);
        Assert.True(plan.GetProperty("target").GetProperty("isPossible").GetBoolean());
        Assert.Equal(JsonValueKind.Null, plan.GetProperty("target").GetProperty("rate").ValueKind);
        Assert.Equal(("calls", 0.0), Binds(stopped, "binds"));
        Assert.Equal(0, code);
        Assert.DoesNotContain("2,147,483,647", output, StringComparison.Ordinal);
        Assert.DoesNotContain("∞", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_target_has_the_fewest_nodes_and_on_them_the_fewest_replicas()
    {
        var target = (await PlanAsync("5-clean", "--target", "115")).GetProperty("target");

        // 7 nodes have 14 vCPUs less their system's: enough only if every service is even on all of them.
        Assert.Equal(7, target.GetProperty("nodes").GetInt32());
        Assert.All(target.GetProperty("replicas").EnumerateObject(), service => Assert.Equal(7, service.Value.GetInt32()));
        Assert.InRange(target.GetProperty("rate").GetDouble(), 115, 125);
    }

    [Fact]
    public async Task A_burst_has_the_same_answer_for_a_shortened_run()
    {
        var (full, quick) = (await PlanAsync("4", "--burst", "800", "--full"), await PlanAsync("4", "--burst", "800"));

        Assert.False(quick.GetProperty("burst").GetProperty("losesLocks").GetBoolean());
        Assert.Equal(
            full.GetProperty("burst").GetProperty("waitSeconds").GetDouble(),
            quick.GetProperty("burst").GetProperty("waitSeconds").GetDouble(),
            6);
        Assert.Equal(
            full.GetProperty("safePrefetch").GetDouble(), quick.GetProperty("safePrefetchAsTyped").GetDouble());
    }

    [Theory]
    [InlineData("--rate -5: expected a number above 0", "plan", "2", "--rate", "-5")]
    [InlineData("--rate 1e9: expected a number above 0, at most 2,000", "plan", "2", "--rate", "1e9")]
    [InlineData("queue.lockDuration=301: expected seconds (or 500ms, 5m) from 1s to 300s", "plan", "2", "--set", "queue.lockDuration=301")]
    [InlineData("workflow.prefetchCount=10", "plan", "2", "--set", "workflow.prefetchCount=10", "--set", "workflow.maxConcurrentCalls=20")]
    [InlineData("prefetchCont is not a knob. Did you mean workflow.prefetchCount", "plan", "2", "--set", "workflow.prefetchCont=1")]
    [InlineData("prefetchCont is not a knob. Did you mean workflow.prefetchCount", "plan", "2", "--sweep", "workflow.prefetchCont=1..2")]
    [InlineData("--latency delivery=37: expected PROCESS=MEDIAN/P95", "plan", "2", "--latency", "delivery=37")]
    [InlineData("delivry is not a process with a latency. Did you mean delivery", "plan", "2", "--latency", "delivry=37/57")]
    [InlineData("a median of 57 ms and a 95th percentile of 37 ms cannot be", "plan", "2", "--latency", "delivery=57/37")]
    [InlineData("--cpu workflow=-1: expected SERVICE=MILLISECONDS", "plan", "2", "--cpu", "workflow=-1")]
    [InlineData("CPU costs need nodes, and environment none has none", "plan", "2", "--cpu", "workflow=1", "--environment", "none")]
    [InlineData("--retention 0: expected a time above 0", "plan", "2", "--retention", "0")]
    [InlineData("--target 0: expected a number above 0", "plan", "2", "--target", "0")]
    [InlineData("aws is not one of the prices", "plan", "2", "--prices", "aws")]
    [InlineData("PostgreSQL X is not a database of prices", "plan", "2", "--database", "PostgreSQL X")]
    [InlineData("is not a run", "plan", "2", "--from", "no-such-run")]
    [InlineData("nowhere.csv is no file", "plan", "2", "--latencies", "nowhere.csv")]
    [InlineData("--out is for a sweep", "plan", "2", "--out", "x.html")]
    [InlineData("expected KNOB=A..B", "plan", "2", "--sweep", "workflow.prefetchCount=1")]
    [InlineData("the first value has to be below the last", "plan", "2", "--sweep", "workflow.prefetchCount=300..200")]
    [InlineData("the step has to be a whole number above 0", "plan", "2", "--sweep", "workflow.prefetchCount=0..200:0")]
    [InlineData("201 values are too many, at most 200", "plan", "2", "--sweep", "workflow.prefetchCount=0..200:1")]
    [InlineData("is there twice", "plan", "2", "--sweep", "workflow.prefetchCount=0..200,workflow.prefetchCount=0..200")]
    [InlineData("is no number", "plan", "2", "--sweep", "workflow.failurePolicy=Abandon..DeadLetter")]
    [InlineData("A sweep is of one stage", "plan", "--sweep", "workflow.prefetchCount=0..200")]
    [InlineData("expected a name that ends in .html or .svg", "plan", "2", "--sweep", "workflow.prefetchCount=0..200", "--out", "x.png")]
    [InlineData("--rate says how many users there are: leave load.maxUsers out", "plan", "4", "--rate", "9", "--set", "load.maxUsers=10")]
    [InlineData("--rate says how many users there are", "plan", "4", "--rate", "9", "--sweep", "load.maxUsers=10..60")]
    [InlineData("--target is not for a sweep", "plan", "6", "--target", "9", "--sweep", "workflow.prefetchCount=100..200")]
    [InlineData("--burst is not for a sweep", "plan", "6", "--burst", "9", "--sweep", "workflow.prefetchCount=100..200")]
    [InlineData("PostgreSQL X is not a database", "plan", "6", "--database", "PostgreSQL X", "--sweep", "workflow.prefetchCount=100..200")]
    [InlineData("--json is not for the page", "plan", "4", "--open", "--json")]
    [InlineData("--target is not for the page", "plan", "4", "--open", "--target", "9")]
    [InlineData("--burst is not for the page", "plan", "4", "--open", "--burst", "9")]
    [InlineData("--retention is not for the page", "plan", "4", "--open", "--retention", "9d")]
    [InlineData("--database-rate is not for the page", "plan", "4", "--open", "--database-rate", "9")]
    [InlineData("--database is not for the page", "plan", "4", "--open", "--database", "PostgreSQL D2ds v5")]
    [InlineData("--port is for the page: add --open", "plan", "4", "--port", "5081")]
    [InlineData("--port-offset is for the page: add --open", "plan", "4", "--port-offset", "100")]
    [InlineData("redis.deliveriesThatFit=100 counts deliveries with", "plan", "2", "--sweep", "redis.deliveriesThatFit=100..1000")]
    [InlineData(
        "messages, and a sweep plays at most", "plan", "2", "--full", "--sweep", "load.maxUsers=900..1000:50,load.duration=7000..7200:50")]
    [InlineData("--cpu workflow=-Infinity: expected SERVICE=MILLISECONDS", "plan", "2", "--cpu", "workflow=-Infinity")]
    [InlineData("latency.delivery.sigma has to be from 0 to 3", "plan", "2", "--latency", "delivery=1/600000")]
    [InlineData("--target counts on replicas that are placed in turn", "plan", "5", "--target", "9", "--set", "nodes.placement=Kubernetes")]
    [InlineData("The page begins with one stage", "plan", "2", "3", "--open")]
    [InlineData("The page takes knobs only", "plan", "2", "--rate", "5", "--open")]
    public Task What_makes_no_sense_is_one_line_and_exit_code_2(string why, params string[] words) => RefusesAsync(why, words);

    private static async Task RefusesAsync(string why, params string[] words)
    {
        var (code, output, error) = await LabInMemory.TypeAsync(words);

        Assert.Equal((2, ""), (code, output));
        Assert.Contains(why, error, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.TrimEnd());
    }

    private static async Task<string> FileAsync(string name, string text)
    {
        var file = Path.Combine(Folder, name);
        await File.WriteAllTextAsync(file, text, TestContext.Current.CancellationToken);
        return file;
    }

    private static async Task<JsonElement> PlanAsync(params string[] words)
    {
        var (_, output, error) = await LabInMemory.TypeAsync(["plan", .. words, "--json"]);
        Assert.Equal("", error);
        return JsonDocument.Parse(output).RootElement.GetProperty(words[0]);
    }

    private static (string Kind, double Rate) Binds(JsonElement plan, string which) =>
        (plan.GetProperty(which).GetProperty("kind").GetString()!, Math.Round(plan.GetProperty(which).GetProperty("rate").GetDouble(), 1));

    private static double Cost(JsonElement plan) => plan.GetProperty("cost").GetProperty("perMonth").GetDouble();
}
