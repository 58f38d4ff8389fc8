namespace DroneDelivery.Lab.Tests.Live;

/// <summary>Lists and transactions of the live page, over an imitated stage 4: 8 s that complete, and then locks are lost.</summary>
public sealed class LiveBrowseTests(LiveBrowseTests.OneLab one) : IClassFixture<LiveBrowseTests.OneLab>
{
    private readonly LiveLab _lab = one.Lab;

    [Fact]
    public async Task The_newest_or_on_request_the_slowest_come_first_in_pages_of_100_and_the_next_goes_on_although_more_has_arrived()
    {
        var slowest = await ListAsync("list=calls&order=slowest");
        Assert.Equal(slowest.Rows.Select(row => row.Ms).OrderDescending(), slowest.Rows.Select(row => row.Ms));
        Assert.Contains("by duration desc", slowest.Query, StringComparison.Ordinal);

        var first = await ListAsync("list=failures");

        Assert.Equal((100, 1001, 0), (first.Rows.Count, first.Found, first.Page));
        Assert.All(first.Rows, row => Assert.True(row.Failed));
        Assert.Equal(first.Rows.Select(row => row.At).OrderDescending(), first.Rows.Select(row => row.At));
        Assert.Contains(first.Rows, row => row.What == "exception");

        HostileTelemetry.AddTo(one.Store, _lab.Clock.GetUtcNow().AddSeconds(1), "later");
        _lab.Clock.Advance(TimeSpan.FromSeconds(10));
        var second = await ListAsync($"list=failures&page=1&to={first.Until}");

        Assert.Equal((await ListAsync($"list=failures&page=0&to={first.Until}")).Rows, first.Rows);
        Assert.DoesNotContain(second.Rows, row => first.Rows.Contains(row));
        Assert.Contains((await ListAsync("list=failures")).Rows, row => row.Service == HostileTelemetry.Role);
    }

    [Theory]
    [InlineData("list=calls&service=workflow&name=complete&outcome=failed", "workflow", "ServiceBusReceiver.Complete")]
    [InlineData("list=requests&service=package&code=201", "package", "PUT /api/packages/{id}")]
    [InlineData("list=calls&text=DRONESCHEDULER&over=20", "workflow", "PUT /api/dronedeliveries/{id}")]
    [InlineData("list=deliveries&order=slowest&over=1000", "workflow", "")]
    [InlineData(
        "list=failures&service=workflow&text=MessageLockLost",
        "workflow",
        "Azure.Messaging.ServiceBus.ServiceBusException"
    )]
    public async Task Filters_leave_what_they_ask_for(string query, string service, string name)
    {
        var list = await ListAsync(query);

        Assert.NotEmpty(list.Rows);
        Assert.All(list.Rows, row => Assert.Equal((service, name), (row.Service, row.Name)));
    }

    [Theory]
    [InlineData("list=calls&code=no-such-code")]
    [InlineData("list=calls&over=501")]
    [InlineData("list=requests&service=workflo")]
    [InlineData("list=requests&from=2031-01-01T00:00:00.000Z")]
    [InlineData("list=requests&to=2029-01-01T00:00:00.000Z")]
    public async Task What_does_not_match_is_left_out(string query) => Assert.Equal(0, (await ListAsync(query)).Found);

    [Fact]
    public async Task The_query_of_a_list_can_be_pasted_and_finds_the_same()
    {
        var list = await ListAsync("list=calls&service=workflow&text=it's \\ 'odd'&over=1.5");
        Assert.Contains(@"let words = 'it\'s \\ \'odd\'';", list.Query, StringComparison.Ordinal);

        var some = await ListAsync("list=calls&service=workflow&name=Complete");
        using var answer = await _lab.Http.PostAsync("/query", new StringContent(some.Query), Cancel);
        Assert.Contains(
            $"{some.Found:N0} rows",
            await answer.Content.ReadAsStringAsync(Cancel),
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData("list=everything", "list")]
    [InlineData("outcome=maybe", "outcome")]
    [InlineData("order=random", "order")]
    [InlineData("over=fast", "over")]
    [InlineData("over=-1", "over")]
    [InlineData("over=-Infinity", "over")]
    [InlineData("over=1e300", "over")]
    [InlineData("page=10", "page")]
    [InlineData("from=yesterday", "from")]
    [InlineData("to=2030-01-01", "to")]
    [InlineData("text=a%0Ab", "text")]
    [InlineData("text=TOO-LONG", "text")]
    [InlineData("service=a&service=b", "service")]
    [InlineData("user=me", "user")]
    public async Task A_filter_that_makes_no_sense_is_named(string query, string field)
    {
        var typed = query.Replace("TOO-LONG", new string('x', 201), StringComparison.Ordinal);
        using var answer = await _lab.Http.GetAsync($"/browse?{typed}", Cancel);
        var problem = await answer.Content.ReadFromJsonAsync<JsonElement>(Cancel);

        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Equal([field], problem.GetProperty("errors").EnumerateObject().Select(error => error.Name));
    }

    [Fact]
    public async Task A_transaction_has_its_steps_and_log_lines_each_inside_of_its_own()
    {
        var text = await _lab.Http.GetStringAsync("/transaction?operation=hostile%27%3Ci%3E", Cancel);
        LiveLab.Leave("live-transaction.json", text);
        var trace = JsonDocument.Parse(text).RootElement.GetProperty("traces")[0];

        // Kind and depth: request, call, and in the call the exception and the log line.
        Assert.Equal(
            [(0, 0), (1, 1), (2, 2), (3, 2)],
            trace.GetProperty("steps").EnumerateArray().Select(step => (step[0].GetInt32(), step[1].GetInt32()))
        );
        Assert.DoesNotContain('<', text);
    }

    [Theory]
    [InlineData("/transaction?operation=none", HttpStatusCode.NotFound)]
    [InlineData("/transaction?operation=", HttpStatusCode.BadRequest)]
    [InlineData("/transaction", HttpStatusCode.BadRequest)]
    public async Task A_transaction_that_is_not_there_is_said_to_be_missing(string path, HttpStatusCode status)
    {
        using var answer = await _lab.Http.GetAsync(path, Cancel);

        Assert.Equal(status, answer.StatusCode);
    }

    [Fact]
    public async Task Names_that_services_send_are_data_and_never_markup_and_log_lines_are_listed_with_their_level()
    {
        var logs = await ListAsync("list=logs&text=onload");
        var line = logs.Rows.First(row => row.Service == HostileTelemetry.Role);
        Assert.Equal(("trace", "Information", (double?)null), (line.What, line.Result, line.Ms));

        using var answer = await _lab.Http.GetAsync(
            "/browse?list=failures&from=2030-01-01T08:01:03.900Z&to=2030-01-01T08:01:04.100Z",
            Cancel
        );
        var text = await answer.Content.ReadAsStringAsync(Cancel);

        LiveLab.Leave("live-browse.json", text);
        Assert.Contains(HostileTelemetry.Name, Read(text).Rows.Select(row => row.Name));
        Assert.Equal("application/json", answer.Content.Headers.ContentType!.MediaType);
    }

    private async Task<BrowseList> ListAsync(string query) =>
        Read(await _lab.Http.GetStringAsync($"/browse?{query}", Cancel));

    private static BrowseList Read(string json) =>
        JsonSerializer.Deserialize<BrowseList>(json, JsonSerializerOptions.Web)!;

    /// <summary>All tests read the same: its telemetry takes seconds to make.</summary>
    public sealed class OneLab : IAsyncLifetime
    {
        internal TelemetryStore Store { get; } = ImitatedRun.StoreOfStage4();

        internal LiveLab Lab { get; private set; } = null!;

        public async ValueTask InitializeAsync()
        {
            HostileTelemetry.AddTo(Store, ImitatedRun.Start.AddSeconds(61));
            Lab = await LiveLab.StartAsync(Store);
        }

        public ValueTask DisposeAsync() => Lab.DisposeAsync();
    }
}
