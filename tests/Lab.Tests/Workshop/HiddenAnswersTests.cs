using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Tests.Runs;
using DroneDelivery.Lab.Workshop;

namespace DroneDelivery.Lab.Tests.Workshop;

/// <summary>During an exercise session, nothing explains a stage until the participant solves its exercise.</summary>
public sealed partial class HiddenAnswersTests : IAsyncDisposable
{
    private const string Hidden = "Hidden by this test.";

    private readonly LabProcess _lab = new();

    public static TheoryData<string> StagesOfWorkshop =>
        [.. Stage.All().Where(stage => stage.Expect is not null).Select(stage => stage.Id)];

    [Theory, MemberData(nameof(StagesOfWorkshop))]
    public void Terminal_and_report_contain_figures_without_any_explanation_when_a_stage_is_hidden(string id)
    {
        var stage = Stage.Load(id);
        var run = ComputedRun.Run($"run {id}");
        string[] explanations =
        [
            .. stage.Checks.Select(check => check.Claim),
            .. stage.Checks.Select(check => check.Why).Where(why => why.Length > 20),
            .. stage.Notes,
            .. stage.Found is { } found ? [found.Means] : Array.Empty<string>(),
            stage.Expectation(RunOptions.Quick)!,
        ];
        var hidden = run with { Stages = [.. run.Stages.Select(Hide)] };

        foreach (var text in (string[])[ChangedRunTests.Print(hidden), PageOf(hidden)])
        {
            AssertHas(text, Hidden, "completed.plateau");
            AssertLacks(text, explanations);
            AssertLacks(text, "as predicted", "the model expected");
        }

        AssertHas(PageOf(run), [.. stage.Checks.Select(check => check.Claim)]);
    }

    [Fact]
    public void Hidden_run_reports_its_prediction_and_why_it_is_void()
    {
        var run = ComputedRun.Run("run 2");
        var voided = run.Stages[0] with
        {
            Outcome = Outcomes.Void,
            Reason = "The machine was busy.",
            WhyHidden = Hidden,
        };

        var said = ChangedRunTests.Print(run with { Stages = [voided], Guess = Guess.Parse("20/s") });

        AssertHas(said, "Stage 2 is void: The machine was busy.", Hidden, "You predicted 20/s: too high.");
    }

    [Fact]
    public void Live_dashboard_shows_the_result_of_a_hidden_stage_without_its_predictions()
    {
        var live = new LiveRun { View = Hide };
        live.Begin(LiveStage.Of(ComputedRun.PlanOf("run 2").Played.Single(), DateTimeOffset.UnixEpoch));
        live.End(ComputedRun.Run("run 2").Stages);

        var verdicts = LiveVerdicts.Of(live).Markup;

        Assert.Equal(Hidden, live.Stage!.Record.WhyHidden);
        AssertHas(verdicts, "Stage 2 is as expected.", Hidden);
        AssertLacks(verdicts, "predicted");
    }

    [Theory]
    [InlineData("1", "redis-1")]
    [InlineData("4", "buffer-wait-4")]
    public void Charts_of_a_hidden_stage_neither_name_the_cause_nor_show_a_prediction(string id, string causeChart)
    {
        var stage = FakeRun.Shared.Record.Stages.Single(stage => stage.Stage == id);

        var (shown, hidden) = (ChartsOf(stage), ChartsOf(Hide(stage)));

        Assert.Equal([causeChart], shown.Select(chart => chart.Id).Except(hidden.Select(chart => chart.Id)));
        Assert.DoesNotContain(hidden.SelectMany(chart => chart.Lines), line => line.Name == "predicted");
    }

    [Fact]
    public async Task Report_hides_the_causes_until_the_exercise_is_solved()
    {
        const string Cause = "Delivery returns 5xx because Redis is out of memory";
        RunReport.Keep(FolderOf("1"), ComputedRun.Run("run 1"), telemetry: null);

        var before = await ReportAsync();
        await _lab.InvokeAsync("learn", "failing-dependency", "--hint");
        var open = await ReportAsync();
        var spoiled = await ReportAsync("--spoil");
        await _lab.InvokeAsync("learn", "failing-dependency", "--answer", "Delivery, 503, Redis is out of memory");
        var solved = await ReportAsync();

        Assert.All([before, spoiled, solved], report => AssertHas(report, Cause));
        AssertLacks(open, Cause);
        AssertHas(open, "are hidden until you solve failing-dependency", "./lab report --spoil");
    }

    [Theory]
    [InlineData("", "1 2 3 4 5 5-clean 5-long 6 6-long")]
    [InlineData("failing-dependency", "2 3 4 5 5-clean 5-long 6 6-long")]
    [InlineData("first-knob", "5 5-clean 5-long 6 6-long")]
    [InlineData("kql-1", "1 2 3 4 5 5-clean 5-long 6 6-long")]
    [InlineData("half-the-workflows", "")]
    public async Task Solved_exercise_shows_its_stage_and_all_earlier_ones(string solved, string hidden)
    {
        var place = new Place { Solved = new() { [solved] = "" } };
        RunFolder.WritePage(Path.Combine(_lab.Artifacts, "lab"), "learn.json", JsonSerializer.Serialize(place));
        RunReport.Keep(FolderOf("all"), ComputedRun.Run("run"), telemetry: null);

        var report = await ReportAsync();

        var stages = HiddenStage().Matches(report).Select(match => match.Groups["stage"].Value).Distinct();
        Assert.Equal(hidden, string.Join(' ', stages.Order(StringComparer.Ordinal)));
    }

    public ValueTask DisposeAsync() => _lab.DisposeAsync();

    private static StageRecord Hide(StageRecord stage) => stage with { WhyHidden = Hidden };

    private static string PageOf(RunRecord run) => WebUtility.HtmlDecode(RunReport.Render(run, telemetry: null));

    private static List<LineChart> ChartsOf(StageRecord stage)
    {
        var charts = new StageCharts(stage, StageTelemetry.Of(FakeRun.Shared.Telemetry, stage));
        return [.. charts.All().Select(panel => panel.Chart)];
    }

    private string FolderOf(string stages) => Path.Combine(_lab.Artifacts, "runs", $"2030-01-01T08-00-00-{stages}");

    private async Task<string> ReportAsync(params string[] options)
    {
        var (_, file, _) = await _lab.InvokeAsync(["report", .. options]);
        return WebUtility.HtmlDecode(await File.ReadAllTextAsync(file.Trim(), Cancel));
    }

    [GeneratedRegex("causes of stage (?<stage>[^ ]+) are hidden")]
    private static partial Regex HiddenStage();
}
