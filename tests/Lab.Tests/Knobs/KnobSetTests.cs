using System.Globalization;

namespace DroneDelivery.Lab.Tests.Knobs;

public sealed class KnobSetTests
{
    [Theory]
    [InlineData("workflow.maxConcurrentCalls=20", "Workflow:MaxConcurrentCalls", "20")]
    [InlineData("workflow.prefetch=3000", "Workflow:PrefetchCount", "3000")]
    [InlineData("WORKFLOW.PREFETCHCOUNT = 3000", "Workflow:PrefetchCount", "3000")]
    [InlineData("workflow.failurePolicy=deadletter", "Workflow:FailurePolicy", "DeadLetter")]
    [InlineData("workflow.holdDuringOutage=off", "Workflow:HoldDuringOutage", "false")]
    [InlineData("http.attemptTimeout=500ms", "Resilience:AttemptTimeout", "00:00:00.5000000")]
    [InlineData("http.attemptTimeout=2m", "Resilience:AttemptTimeout", "00:02:00")]
    [InlineData("http.attemptTimeout=2min", "Resilience:AttemptTimeout", "00:02:00")]
    [InlineData("http.attemptTimeout=300", "Resilience:AttemptTimeout", "00:05:00")] // the most
    [InlineData("http.retryJitter=0.25", "Resilience:RetryJitter", "0.25")]
    [InlineData("http.retryDelays=0,2,6", "Resilience:RetryDelays:2", "00:00:06")]
    [InlineData("http.retryDelays=", "Resilience:RetryDelays", "")]
    public void A_knob_becomes_a_setting_of_its_service(string pair, string key, string value) =>
        Assert.Contains(KeyValuePair.Create(key, value), KnobSet.Parse([pair]).SettingsFor("workflow"));

    public static TheoryData<string> Defaults => [.. KnobTable.All.Where(knob => knob.Default is not null).Select(knob => knob.Name)];

    [Theory, MemberData(nameof(Defaults))]
    public void What_nobody_sets_is_what_the_service_does(string name)
    {
        var knob = KnobTable.Find(name);

        Assert.InRange(knob.Default!.Value, knob.Min, knob.Max);
        Assert.Equal(knob.Default, KnobSet.Empty.Number(name));
        if (knob.Setting is not { } setting)
            return;
        var file = Path.Combine(Repository.Root, "services", "Workflow", "appsettings.json");
        var comments = new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip };
        using var document = JsonDocument.Parse(File.ReadAllText(file), comments);
        var value = setting.Split(':').Aggregate(document.RootElement, (element, part) => element.GetProperty(part));
        Assert.Equal(
            value.ValueKind == JsonValueKind.Number
                ? value.GetDouble()
                : TimeSpan.Parse($"{value}", CultureInfo.InvariantCulture).TotalSeconds,
            knob.Default);
    }

    [Theory]
    [InlineData("workflow.prefetchCount=3000", 8, 375)]
    [InlineData("workflow.maxConcurrentCalls=20", 8, 20)]
    [InlineData("queue.lockDuration=60", 8, 7.5)]
    [InlineData("queue.maxDeliveryCount=3", 8, 3)]
    [InlineData("redis.maxMemory=8mb", 8, 1_048_576)]
    [InlineData("redis.maxMemory=512kb", 1, 524_288)]
    [InlineData("http.breakerSamplingDuration=5", 8, 0.625)]
    [InlineData("http.retryJitter=0.25", 8, 0.25)]
    [InlineData("workflow.replicas=3", 8, 3)]
    public void Stocks_and_durations_shrink_with_the_run_and_the_rest_stays(string pair, double k, double expected) =>
        Assert.Equal(expected, KnobSet.Parse([pair]).Shorten(k).All.Single().Value.Number, 6);

    [Fact]
    public void Every_retry_delay_shrinks() =>
        Assert.Equal([0, 0.25, 0.75], KnobSet.Parse(["http.retryDelays=0,2,6"]).Shorten(8)["http.retryDelays"]!.Numbers);

    [Theory]
    [InlineData("workflow.prefetchCount=3", 1)]
    [InlineData("redis.maxMemory=4", 1)]
    [InlineData("http.breakerBreakDuration=2", 0.5)]
    [InlineData("workflow.prefetchCount=0", 0)]
    [InlineData("redis.maxMemory=0", 0)]
    public void What_is_on_stays_on_and_what_is_off_stays_off(string pair, double expected) =>
        Assert.Equal(expected, KnobSet.Parse([pair]).Shorten(8).All.Single().Value.Number);

    [Fact]
    public void The_knobs_of_the_command_line_replace_those_of_the_stage()
    {
        var stage = KnobSet.Parse(["workflow.replicas=3", "package.replicas=3"]);

        var both = stage.With(KnobSet.Parse(["workflow.replicas=6"]));

        Assert.Equal(6, both.Number("workflow.replicas", 0));
        Assert.Equal(3, both.Number("package.replicas", 0));
    }

    [Theory]
    [InlineData("workflow.prefetchCont=1", "workflow.prefetchCont is not a knob. Did you mean workflow.prefetchCount?")]
    [InlineData("workflow.calls=1", "workflow.maxConcurrentCalls")]
    [InlineData("prefetch=1", "Did you mean workflow.prefetchCount?")]
    [InlineData("queue.lock=1s", "")]
    [InlineData("rabbits=1", "lists the knobs")]
    [InlineData("workflow.replicas", "workflow.replicas: expected KNOB=VALUE")]
    [InlineData("workflow.replicas=many", "workflow.replicas=many: expected a whole number from 0 to 20")]
    [InlineData("workflow.replicas=21", "workflow.replicas=21: expected a whole number from 0 to 20")]
    [InlineData("workflow.replicas=2.5", "workflow.replicas=2.5: expected a whole number")]
    [InlineData("queue.lockDuration=6m", "queue.lockDuration=6m: expected seconds (or 500ms, 5m) from 1s to 300s")]
    [InlineData("workflow.failurePolicy=ignore", "expected Abandon or DeadLetter")]
    [InlineData("http.retryDelays=1,soon", "http.retryDelays=1,soon: expected seconds with commas between")]
    [InlineData("redis.maxMemory=2 parsecs", "expected bytes (or 512kb, 2mb)")]
    public void What_cannot_be_is_refused_in_one_line_that_helps(string pair, string message)
    {
        if (message.Length == 0)
        {
            Assert.Single(KnobSet.Parse([pair]).All);
            return;
        }

        var refusal = Assert.Throws<BadInputException>(() => KnobSet.Parse([pair]));
        Assert.Contains(message, refusal.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', refusal.Message);
    }

    [Theory]
    [InlineData(5, 1, "workflow.prefetchCount=5 is less than workflow.maxConcurrentCalls=20: ", "at least 20.")]
    [InlineData(
        100, 8, "workflow.prefetchCount=100, shortened by k = 8 to 12, is less than workflow.maxConcurrentCalls=20: ", "at least 160.")]
    public void A_prefetch_below_the_concurrent_calls_is_refused_as_it_was_typed(int prefetch, double k, string begin, string end)
    {
        var refusal = Assert.Throws<BadInputException>(() => Knobs(prefetch).Consistent(k));

        Assert.StartsWith(begin, refusal.Message, StringComparison.Ordinal);
        Assert.EndsWith(end, refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0, 8)]
    [InlineData(20, 1)]
    [InlineData(160, 8)]
    [InlineData(280, 14)]
    public void A_prefetch_that_is_off_or_has_a_message_for_each_call_is_not(int prefetch, double k) =>
        Assert.Equal(20, Knobs(prefetch).Consistent(k).Number("workflow.maxConcurrentCalls", 0));

    [Theory]
    [InlineData("")]
    [InlineData("load.instructions=0")]
    [InlineData("load.instructions=1000")]
    public void A_number_of_deliveries_that_fit_is_refused_where_they_have_another_size(string instructions)
    {
        string[] knobs = ["redis.deliveriesThatFit=175", .. instructions.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        var refusal = Assert.Throws<BadInputException>(() => KnobSet.Parse(knobs).Consistent());

        Assert.StartsWith(
            "redis.deliveriesThatFit=175 counts deliveries with 17000 characters of instructions, and load.instructions=",
            refusal.Message,
            StringComparison.Ordinal);
        Assert.EndsWith(
            "Set load.instructions=17000, or redis.deliveriesThatFit=0 and the limit in bytes: redis.maxMemory.",
            refusal.Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("redis.deliveriesThatFit=175", "load.instructions=17000")]
    [InlineData("redis.deliveriesThatFit=0", "load.instructions=0")]
    public void A_number_of_deliveries_that_fit_counts_those_with_long_instructions(params string[] knobs) =>
        Assert.Equal(2, KnobSet.Parse(knobs).Consistent().All.Count());

    private static KnobSet Knobs(int prefetch) => KnobSet.Parse([$"workflow.prefetchCount={prefetch}", "workflow.maxConcurrentCalls=20"]);
}
