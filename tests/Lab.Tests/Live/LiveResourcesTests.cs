namespace DroneDelivery.Lab.Tests.Live;

[Trait("tier", "slow")]
public sealed class LiveResourcesTests
{
    [Fact]
    public async Task A_replica_that_is_stopped_is_missed_by_nobody_and_comes_back()
    {
        await using var running = await RunningApplication.StartAsync("none", "delivery.replicas=2");
        var (said, histories) = (new List<string>(), new Dictionary<string, ProcessHistory>());
        using var replicas = new ReplicaSwitch(running.Application, histories.GetValueOrDefault, (happened, replica) =>
            said.Add($"{happened} {replica}")
        );
        using var processes = new LiveProcesses(running.Application, TimeProvider.System)
        {
            Switch = replicas,
            HistoryOf = histories.GetValueOrDefault,
        };
        await using var lab = await LiveLab.StartAsync(new TelemetryStore(), new LiveRun { Processes = processes });

        await StopsAsync(running, lab);
        await StaysStoppedWhereItCannotStartAsync(running, lab);
        await ComesBackAsync(lab, said);
        await RefusesWhatMakesNoSenseAsync(lab);
        await OnlyShowsWhatIsMeasuredAsync(running.Application);
        await StartsWhatNobodyElseStartsAgainAsync(running, lab, histories);
    }

    private static async Task StopsAsync(RunningApplication running, LiveLab lab)
    {
        using var stopped = await PressAsync(lab, "delivery-0", "stop");
        Assert.Equal(HttpStatusCode.NoContent, stopped.StatusCode);
        var journeys = await running.SendAsync(10, callers: 2);
        Assert.All(journeys, journey => Assert.Null(journey.Failure));
        var whileStopped = await RowsAsync(lab);
        Assert.Equal(("stopped", "start"), StateOf(whileStopped, "delivery-0"));
        Assert.Equal(("ready", "stop"), StateOf(whileStopped, "delivery-1"));
        Assert.Equal(("running", null), StateOf(whileStopped, "broker"));
        Assert.True(whileStopped.Single(row => row.Name == "delivery-1").Memory > 10_000_000);
        Assert.Equal((409, "It is stopped already."), await RefusedAsync(lab, "delivery-0", "stop"));
    }

    private static async Task StaysStoppedWhereItCannotStartAsync(RunningApplication running, LiveLab lab)
    {
        var data = running.Plan.Data;
        Directory.Move(data, data + "-away");
        var (status, why) = await RefusedAsync(lab, "delivery-0", "start");
        Directory.Move(data + "-away", data);

        Assert.Equal(500, status);
        Assert.NotEmpty(why);
        Assert.Equal(("stopped", "start"), StateOf(await RowsAsync(lab), "delivery-0"));
    }

    private static async Task ComesBackAsync(LiveLab lab, List<string> said)
    {
        using var started = await PressAsync(lab, "delivery-0", "start");
        Assert.Equal(HttpStatusCode.NoContent, started.StatusCode);
        Assert.Equal(("ready", "stop"), StateOf(await RowsAsync(lab), "delivery-0"));
        Assert.Equal(["ReplicaStopped delivery-0", "ReplicaStarted delivery-0"], said);
        var log = await lab.Http.GetStringAsync("/resources/delivery-0/log", Cancel);
        Assert.Contains("Application started", log, StringComparison.Ordinal);
    }

    private static async Task RefusesWhatMakesNoSenseAsync(LiveLab lab)
    {
        Assert.Equal(
            (404, "The application has no replica delivery-7."),
            await RefusedAsync(lab, "delivery-7", "stop")
        );
        Assert.Equal((404, "The application has no replica broker."), await RefusedAsync(lab, "broker", "stop"));
        Assert.Equal((409, "It is not stopped."), await RefusedAsync(lab, "delivery-0", "start"));
        using var log = await lab.Http.GetAsync("/resources/..%2Fstate.json/log", Cancel);
        Assert.Equal(HttpStatusCode.NotFound, log.StatusCode);
    }

    /// <summary>Nobody asks a process that is measured, either: it would answer with CPU of its own.</summary>
    private static async Task OnlyShowsWhatIsMeasuredAsync(Application application)
    {
        using var processes = new LiveProcesses(application, TimeProvider.System);
        await using var lab = await LiveLab.StartAsync(new TelemetryStore(), new LiveRun { Processes = processes });

        Assert.All(await RowsAsync(lab, leave: false), row => Assert.Equal(("running", null), (row.State, row.Can)));
        var (status, why) = await RefusedAsync(lab, "delivery-0", "stop");
        Assert.Equal(409, status);
        Assert.StartsWith("Replicas are stopped and started only while `./lab up` runs", why, StringComparison.Ordinal);
    }

    private static async Task StartsWhatNobodyElseStartsAgainAsync(
        RunningApplication running,
        LiveLab lab,
        Dictionary<string, ProcessHistory> histories
    )
    {
        await RunningApplication.KillAsync(running.Application[Service.Package, 0]);
        histories["package-0"] = new(ProcessHistory.Restarting, 0, 137);
        Assert.Equal((409, "It has ended by itself."), await RefusedAsync(lab, "package-0", "stop"));
        Assert.Equal((409, "It is not stopped."), await RefusedAsync(lab, "package-0", "start"));
        Assert.Equal((ProcessHistory.Restarting, null), StateOf(await RowsAsync(lab), "package-0"));

        histories["package-0"] = new(ProcessHistory.Ended, 0, 137);
        using var started = await PressAsync(lab, "package-0", "start");
        Assert.Equal(HttpStatusCode.NoContent, started.StatusCode);
        Assert.Equal(("ready", "stop"), StateOf(await RowsAsync(lab), "package-0"));
    }

    [Theory]
    [InlineData(null, true)]
    [InlineData("http://lab.example", true)]
    [InlineData("self", false)]
    public async Task Nobody_but_the_page_presses_a_button(string? origin, bool hasToken)
    {
        await using var lab = await LiveLab.StartAsync(new TelemetryStore());
        using var answer = await PressAsync(lab, "delivery-0", "stop", origin, hasToken ? null : "0000");

        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
    }

    [Fact]
    public async Task Before_anything_was_started_there_is_nothing_to_show_and_each_start_of_the_lab_has_a_token_of_its_own()
    {
        await using var lab = await LiveLab.StartAsync(new TelemetryStore());
        await using var other = await LiveLab.StartAsync(new TelemetryStore());

        Assert.Equal("""{"mayChange":false,"rows":[]}""", await lab.Http.GetStringAsync("/resources", Cancel));
        Assert.Equal(409, (await RefusedAsync(lab, "delivery-0", "stop")).Status);
        Assert.NotEqual(await TokenAsync(lab), await TokenAsync(other));
    }

    [Fact]
    public async Task The_end_of_a_long_log_is_shown_from_the_beginning_of_a_line()
    {
        var file = Path.GetTempFileName();
        await File.WriteAllLinesAsync(file, Enumerable.Range(0, 20_000).Select(i => $"line {i}"), Cancel);
        var lines = (await LogTail.ReadAsync(file, Cancel)).TrimEnd().Split('\n');
        File.Delete(file);

        Assert.Equal(LogTail.Lines, lines.Length);
        Assert.Equal(("line 19800", "line 19999"), (lines[0], lines[^1]));
        Assert.Equal("", await LogTail.ReadAsync(file, Cancel));
    }

    private static async Task<(int Status, string Why)> RefusedAsync(LiveLab lab, string replica, string what)
    {
        using var answer = await PressAsync(lab, replica, what);
        using var problem = JsonDocument.Parse(await answer.Content.ReadAsStringAsync(Cancel));
        return ((int)answer.StatusCode, problem.RootElement.GetProperty("detail").GetString()!);
    }

    private static async Task<HttpResponseMessage> PressAsync(
        LiveLab lab,
        string replica,
        string what,
        string? origin = "self",
        string? token = null
    )
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, $"/resources/{replica}/{what}");
        if (origin is not null)
        {
            request.Headers.Add(
                "Origin",
                origin == "self" ? lab.Http.BaseAddress!.GetLeftPart(UriPartial.Authority) : origin
            );
        }

        request.Headers.Add("X-Lab-Token", token ?? await TokenAsync(lab));
        return await lab.Http.SendAsync(request, Cancel);
    }

    private static async Task<string> TokenAsync(LiveLab lab) =>
        Regex.Match(await lab.Http.GetStringAsync("/", Cancel), "data-token=\"([0-9A-F]{32})\"").Groups[1].Value;

    /// <summary>A replica has a second to answer: where a machine is too busy for that, it is asked again.</summary>
    private static async Task<List<ProcessRow>> RowsAsync(LiveLab lab, bool leave = true)
    {
        var text = await UntilAsync(
            () => lab.Http.GetStringAsync("/resources", Cancel),
            text => !RowsOf(text).Exists(row => row.State is "does not answer" or "not ready")
        );
        if (leave)
            LiveLab.Leave("live-resources.json", text);
        return RowsOf(text);
    }

    private static List<ProcessRow> RowsOf(string text) =>
        JsonDocument
            .Parse(text)
            .RootElement.GetProperty("rows")
            .Deserialize<List<ProcessRow>>(JsonSerializerOptions.Web)!;

    private static (string, string?) StateOf(List<ProcessRow> rows, string name)
    {
        var row = rows.Single(row => row.Name == name);
        return (row.State, row.Can);
    }
}
