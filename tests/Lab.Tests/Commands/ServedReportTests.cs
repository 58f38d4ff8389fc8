namespace DroneDelivery.Lab.Tests.Commands;

/// <summary>What <c>lab report --serve</c> answers: the page of a run with the telemetry that the run has kept.</summary>
public sealed class ServedReportTests(ServedReportTests.OneReport one) : IClassFixture<ServedReportTests.OneReport>
{
    private HttpClient Http => one.Http;

    [Fact]
    public async Task The_page_of_the_run_asks_instead_of_containing_a_sample()
    {
        var page = await Http.GetStringAsync("/", Cancel);

        Assert.Contains("; connect-src ", page, StringComparison.Ordinal);
        Assert.Contains("<section class=\"page\" id=\"stage-4\"", page, StringComparison.Ordinal);
        Assert.Contains("id=\"kql\"", page, StringComparison.Ordinal);
        Assert.DoesNotContain("id=\"sample\"", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_typed_query_is_answered_over_the_whole_run()
    {
        using var answer = await Http.PostAsync("/query", new StringContent("stages | count"), Cancel);

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Contains("<td class=\"number\">5</td>", await answer.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_mistake_is_answered_with_its_place()
    {
        using var answer = await Http.PostAsync("/query", new StringContent("requests | sumarize count()"), Cancel);

        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Equal(12, (await answer.Content.ReadFromJsonAsync<Mistake>(Cancel))!.Column);
    }

    [Fact]
    public async Task Lists_have_all_and_lead_to_whole_transactions()
    {
        var list = await Http.GetFromJsonAsync<BrowseList>("/browse?list=failures", Cancel);
        var trace = await Http.GetFromJsonAsync<JsonElement>($"/transaction?operation={list!.Rows[0].Operation}", Cancel);

        Assert.Equal(1001, list.Found);
        Assert.NotEqual(0, trace.GetProperty("traces")[0].GetProperty("steps").GetArrayLength());
    }

    [Fact]
    public async Task Other_web_sites_are_refused()
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/query") { Content = new StringContent("requests | count") };
        request.Headers.Add("Origin", "http://elsewhere.test");
        using var answer = await Http.SendAsync(request, Cancel);

        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
    }

    [Theory]
    [InlineData("--serve is about one run: leave --all out.", "--all", "--serve")]
    [InlineData("--port 70000: expected", "--serve", "--port", "70000")]
    public async Task What_cannot_be_served_is_refused(string why, params string[] options)
    {
        var (exitCode, _, error) = await LabInMemory.TypeAsync(["report", .. options]);

        Assert.Equal(2, exitCode);
        Assert.Contains(why, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_run_is_served_until_it_is_ended()
    {
        await using var lab = new LabProcess();
        var folder = Path.Combine(lab.Artifacts, "runs", "2030-01-01T08-00-00-4");
        await ImitatedRun.KeepAsync(folder);
        using var http = Loopback.CreateClient();
        var (process, line) = await lab.LaunchAsync("report", folder, "--serve", "--port", "0");
        var address = new Uri(line.Split(' ')[1]);

        Assert.Contains("Drone Delivery", await http.GetStringAsync(address, Cancel), StringComparison.Ordinal);
        using var answer = await http.PostAsync(new Uri(address, "query"), new StringContent("requests | count"), Cancel);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);

        Signals.Terminate(process.Id);
        await process.WaitForExitAsync(Cancel);
        Assert.Equal(0, process.ExitCode);
    }

    /// <summary>All tests read the same.</summary>
    public sealed class OneReport : IAsyncLifetime
    {
        private ServedPage _served = null!;

        internal HttpClient Http { get; } = Loopback.CreateClient();

        public async ValueTask InitializeAsync()
        {
            var run = ImitatedRun.Shared;
            _served = await ServedReport.StartAsync(run.Record, run.Telemetry, 0, Cancel);
            Http.BaseAddress = _served.Address;
        }

        public async ValueTask DisposeAsync()
        {
            Http.Dispose();
            await _served.DisposeAsync();
        }
    }
}
