using System.Globalization;

namespace DroneDelivery.Lab.Tests.Knobs;

public sealed class KnobSetTests
{
    [Theory]
    [InlineData("workflow.maxConcurrentCalls=20", "Workflow:MaxConcurrentCalls", "20")]
    [InlineData("workflow.prefetch=3000", "Workflow:PrefetchCount", "3000")] // The only match for this prefix.
    [InlineData("WORKFLOW.PREFETCHCOUNT = 3000", "Workflow:PrefetchCount", "3000")]
    [InlineData("workflow.retryFor=0", "Workflow:RetryFor", "00:00:00")]
    [InlineData("workflow.holdDuringOutage=off", "Workflow:HoldDuringOutage", "false")]
    [InlineData("http.attemptTimeout=500ms", "Resilience:AttemptTimeout", "00:00:00.5000000")]
    [InlineData("http.attemptTimeout=2m", "Resilience:AttemptTimeout", "00:02:00")]
    [InlineData("http.attemptTimeout=2min", "Resilience:AttemptTimeout", "00:02:00")]
    [InlineData("http.attemptTimeout=300", "Resilience:AttemptTimeout", "00:05:00")] // The maximum.
    [InlineData("http.retryJitter=0.25", "Resilience:RetryJitter", "0.25")]
    [InlineData("http.retryDelays=0,2,6", "Resilience:RetryDelays:2", "00:00:06")]
    [InlineData("http.retryDelays=", "Resilience:RetryDelays", "")]
    public void Setting_is_passed_to_its_service(string pair, string key, string value) =>
        Assert.Contains(KeyValuePair.Create(key, value), KnobSet.Parse([pair]).SettingsFor("workflow"));

    public static TheoryData<string> Defaults =>
        [.. KnobTable.All.Where(knob => knob.Default is not null).Select(knob => knob.Name)];

    [Theory, MemberData(nameof(Defaults))]
    public void Default_is_the_services_own_default(string name)
    {
        var knob = KnobTable.Find(name);

        Assert.InRange(knob.Default!.Value, knob.Min, knob.Max);
        Assert.Equal(knob.Default, KnobSet.Empty.Number(name));
        if (knob.Setting is not { } setting)
            return;
        var service = Directory
            .EnumerateDirectories(Path.Combine(Repository.Root, "services"))
            .Single(folder => Path.GetFileName(folder).Equals(knob.Process, StringComparison.OrdinalIgnoreCase));
        var file = Path.Combine(service, "appsettings.json");
        var comments = new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip };
        using var document = JsonDocument.Parse(File.ReadAllText(file), comments);
        var value = setting.Split(':').Aggregate(document.RootElement, (element, part) => element.GetProperty(part));
        Assert.Equal(
            value.ValueKind == JsonValueKind.Number
                ? value.GetDouble()
                : TimeSpan.Parse($"{value}", CultureInfo.InvariantCulture).TotalSeconds,
            knob.Default
        );
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
    // Switches keep their value.
    [InlineData("workflow.prefetchCount=3", 8, 1)]
    [InlineData("redis.maxMemory=4", 8, 1)]
    [InlineData("http.breakerBreakDuration=2", 8, 0.5)]
    [InlineData("workflow.prefetchCount=0", 8, 0)]
    [InlineData("redis.maxMemory=0", 8, 0)]
    public void Sizes_and_durations_are_scaled_with_the_run(string pair, double k, double expected) =>
        Assert.Equal(expected, KnobSet.Parse([pair]).Shorten(k).All.Single().Value.Number, 6);

    [Fact]
    public void Every_retry_delay_is_scaled() =>
        Assert.Equal(
            [0, 0.25, 0.75],
            KnobSet.Parse(["http.retryDelays=0,2,6"]).Shorten(8)["http.retryDelays"]!.Numbers
        );

    [Theory]
    [InlineData(0, 8)]
    [InlineData(20, 1)]
    [InlineData(160, 8)]
    [InlineData(280, 14)]
    public void Prefetch_stays_on_or_off_and_covers_all_concurrent_calls(int prefetch, double k) =>
        Assert.NotNull(
            KnobSet.Parse([$"workflow.prefetchCount={prefetch}", "workflow.maxConcurrentCalls=20"]).Consistent(k)
        );
}
