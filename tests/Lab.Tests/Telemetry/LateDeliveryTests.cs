using System.Globalization;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Tests.Telemetry;

/// <summary>
/// Why was a delivery late? The causes are planted in the real application; the answers are what the page shows after two clicks: the list
/// of deliveries, and one of its rows.
/// </summary>
[Trait("tier", "slow")]
public sealed class LateDeliveryTests
{
    private const string Late = "late-1";

    [Fact]
    public async Task A_slow_store_is_named_with_the_call_that_waited_for_it_and_a_lost_lock_with_both_deliveries_of_the_message()
    {
        await using var observed = await ObservedApplication.StartAsync(
            SlowPackage(TimeSpan.FromSeconds(2.5)),
            "queue.lockDuration=1",
            "workflow.maxAutoLockRenewalDuration=0"
        );
        // The first calls of a process compile its code, which may take longer than the store.
        await observed.OrderAsync("first");
        await observed.Running.QueueWhenAsync(queue => queue.Completed + queue.DeadLettered > 0);
        await observed.OrderAsync(Late);

        var story = await StoryAsync(observed, Late, attempts: 2);

        Assert.EndsWith(" calling package.", story[0], StringComparison.Ordinal);
        Assert.Contains(story, it => it.StartsWith("Slowest call: PUT /api/packages/", StringComparison.Ordinal));
        Assert.Contains(story, it =>
            it.StartsWith("Handling 1 of ", StringComparison.Ordinal)
            && it.EndsWith(
                ": its lock was lost before it was settled, so the message was delivered again.",
                StringComparison.Ordinal
            )
        );
        Assert.Contains(story, it => it.StartsWith("Handling 2 of ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_pause_is_told_by_the_warning_of_the_Workflow_that_paused_and_a_dead_letter_with_its_reason()
    {
        await using var observed = await ObservedApplication.StartAsync(
            "workflow.holdDuringOutage=on",
            "http.breakerBreakDuration=1",
            "workflow.retryDelay=0.1",
            "workflow.supervisor=off"
        );
        await RunningApplication.KillAsync(observed.Running.Application[Service.Package, 0]);
        await observed.Running.PostAsync(20);
        await observed.UntilAsync("traces | where message has 'Receiving paused: package unavailable'", rows: 1);
        await observed.OrderAsync(Late);
        await observed.Running.Application.RestartAsync("package-0", Cancel);

        var story = await StoryAsync(observed, Late, outcome: "succeeded");

        Assert.Contains(story, it =>
            it.StartsWith("workflow-0 warned ", StringComparison.Ordinal)
            && it.Contains("Receiving paused: package unavailable", StringComparison.Ordinal)
        );
        Assert.Contains(story, it => it.EndsWith(": completed.", StringComparison.Ordinal));

        await observed.OrderAsync("heavy", weight: 41);

        Assert.Contains(await StoryAsync(observed, "heavy"), it =>
            it.Contains(": moved to the dead-letter queue (", StringComparison.Ordinal)
            && it.Contains(" of dronescheduler answered 4", StringComparison.Ordinal)
        );
    }

    private static DeclaredEnvironment SlowPackage(TimeSpan time) =>
        new(
            "slow",
            "Package waits for its store.",
            "",
            new Dictionary<string, LogNormal> { ["package"] = new(Math.Log(time.TotalMilliseconds), 0) }
        );

    /// <summary>Opens the list of deliveries, the slowest first, and in it the delivery.</summary>
    private static async Task<IReadOnlyList<string>> StoryAsync(
        ObservedApplication observed,
        string delivery,
        int attempts = 1,
        string outcome = ""
    )
    {
        await using var lab = await LiveLab.StartAsync(
            observed.Collector.Store,
            now: TimeProvider.System.GetUtcNow().AddHours(1)
        );
        var list = $"/browse?list=deliveries&order=slowest&name={delivery}&outcome={outcome}";
        var row = await UntilAsync(
            async () =>
                (await lab.Http.GetFromJsonAsync<BrowseList>(list, Cancel))!.Rows.FirstOrDefault(it =>
                    int.Parse(it.Says.Split(' ')[1], CultureInfo.InvariantCulture) >= attempts
                ),
            it => it is not null,
            longer: TimeSpan.FromMinutes(1)
        );
        await observed.Collector.SettleAsync(Cancel);
        var trace = await lab.Http.GetFromJsonAsync<JsonElement>($"/transaction?operation={row!.Operation}", Cancel);
        var story = trace
            .GetProperty("traces")[0]
            .GetProperty("story")
            .EnumerateArray()
            .Select(it => it.GetString()!)
            .ToList();
        story.ForEach(it => TestContext.Current.TestOutputHelper?.WriteLine(it));
        return story;
    }
}
