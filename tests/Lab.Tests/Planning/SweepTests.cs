using System.Globalization;

namespace DroneDelivery.Lab.Tests.Planning;

public sealed class SweepTests
{
    [Fact]
    public async Task A_curve_has_its_cliff_where_locks_begin_to_be_lost()
    {
        var sweep = await SweepAsync("4", "workflow.prefetchCount=400..3000:200");

        var lost = Points(sweep).Where(point => point.GetProperty("locksLost").GetDouble() > 0).Select(Value).ToList();
        var kept = Points(sweep).Where(point => point.GetProperty("locksLost").GetDouble() == 0).Select(Value).ToList();
        // P* = 60 s × 23.6/s + 10, and four calls more in a run that is shortened by 8.
        Assert.All(kept, value => Assert.True(value < 1600));
        Assert.All(lost, value => Assert.True(value > 1400));
        var cliff = Assert.Single(Cliffs(sweep));
        Assert.Matches(
            @"Between workflow\.prefetchCount=1\d00 and 1\d00 locks begin to be lost: 7\d\.\d/s, then",
            cliff
        );
    }

    [Fact]
    public async Task A_curve_says_where_it_grows_no_more()
    {
        var sweep = await SweepAsync("5-clean", "workflow.maxConcurrentCalls=1..41:2");

        Assert.Contains(Cliffs(sweep), cliff =>
            cliff.StartsWith("The rate stops growing at workflow.maxConcurrentCalls=", StringComparison.Ordinal)
        );
        var rates = Points(sweep).Select(point => point.GetProperty("rate").GetDouble()).ToList();
        Assert.InRange(rates[0], 11, 13);
        Assert.InRange(rates[^1], 68, 72);
    }

    [Fact]
    public async Task A_map_has_a_rate_for_each_pair_and_a_cliff_for_each_row()
    {
        var sweep = await SweepAsync("4", "workflow.prefetchCount=200..3000:1400,queue.lockDuration=30..300:135");

        Assert.Equal(9, Points(sweep).Count());
        Assert.Contains(Cliffs(sweep), cliff =>
            cliff.StartsWith("queue.lockDuration=30s: Between", StringComparison.Ordinal)
        );
        Assert.DoesNotContain(Cliffs(sweep), cliff =>
            cliff.StartsWith("queue.lockDuration=300s", StringComparison.Ordinal)
        );
    }

    [Fact]
    public async Task A_point_whose_knobs_do_not_fit_together_is_left_out_with_the_reason()
    {
        var sweep = await SweepAsync(
            "4",
            "workflow.maxConcurrentCalls=100..500:200",
            "--set",
            "workflow.prefetchCount=2400"
        );

        Assert.Equal(
            ["100", "300", "500"],
            Points(sweep).Select(point => Value(point).ToString(CultureInfo.InvariantCulture))
        );
        Assert.Equal(JsonValueKind.Null, Points(sweep).First().GetProperty("refused").ValueKind);
        var why = Points(sweep).Last().GetProperty("refused").GetString();
        Assert.Contains("less than workflow.maxConcurrentCalls", why, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("workflow.prefetchCount=400..3000:650", "(?s)█████.*1700 [^\n]*◀ cliff")]
    [InlineData("workflow.prefetchCount=1401..1600:1", "(?s)█.*◀ cliff")] // 200 values: as many as there may be
    [InlineData("workflow.prefetchCount=200..3000:2800,queue.lockDuration=60..300:240", "×")]
    public async Task Table_marks_the_cliff(string knobs, string shown)
    {
        var (code, output, _) = await LabInMemory.TypeAsync("plan", "4", "--sweep", knobs);

        Assert.Equal(0, code);
        Assert.Matches(shown, output);
        Assert.Contains("without --full it is shortened", output, StringComparison.Ordinal);
    }

    private static Task<JsonElement> SweepAsync(string stage, string sweep, params string[] more) =>
        LabInMemory.JsonAsync(["plan", stage, "--sweep", sweep, .. more]);

    private static JsonElement.ArrayEnumerator Points(JsonElement sweep) =>
        sweep.GetProperty("points").EnumerateArray();

    private static double Value(JsonElement point) => point.GetProperty("values")[0].GetDouble();

    private static IEnumerable<string> Cliffs(JsonElement sweep) =>
        sweep.GetProperty("cliffs").EnumerateArray().Select(it => it.GetString()!);
}
