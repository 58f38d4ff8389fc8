namespace DroneDelivery.Lab.Tests.Live;

public sealed class LivePageTests : IAsyncLifetime
{
    /// <summary>All tests read the same: it takes seconds to make.</summary>
    private static readonly TelemetryStore Store = ImitatedRun.StoreOfStage4();

    private readonly LiveRun _run = new();
    private LiveLab _lab = null!;

    private HttpClient Http => _lab.Http;

    public async ValueTask InitializeAsync() =>
        _lab = await LiveLab.StartAsync(Store, _run, ImitatedRun.Start.AddSeconds(30));

    public ValueTask DisposeAsync() => _lab.DisposeAsync();

    [Fact]
    public async Task The_first_event_has_everything_for_all_viewers_of_a_second_and_the_next_what_has_changed_and_charts_of_full_bins()
    {
        _run.Begin(Stage());
        using var feed = new LiveFeed(Store, _run, _lab.Clock);

        var first = await feed.SinceAsync(0, Cancel);
        Assert.Contains("slot-in-out-4", first.Pieces.Keys);
        Assert.Contains("0:30", first.Pieces["tiles"], StringComparison.Ordinal);
        // Of the queue of requests, and not of that of failed ones, where nothing happens.
        Assert.Matches("<dt>outgoing</dt><dd>[1-9]", first.Pieces["tiles"]);
        Assert.Contains("data-edge=\"workflow delivery\"", first.Pieces["slot-map"], StringComparison.Ordinal);

        Assert.Equal((1, 1), (first.Version, (await feed.SinceAsync(0, Cancel)).Version));

        _lab.Clock.Advance(TimeSpan.FromSeconds(1));
        var second = await feed.SinceAsync(first.Version, Cancel);
        Assert.Equal(["tiles"], second.Pieces.Keys);
        Assert.Contains("0:31", second.Pieces["tiles"], StringComparison.Ordinal);

        var (version, changed) = (second.Version, new List<double>());
        for (var later = 2; later <= 12; later++)
        {
            _lab.Clock.Advance(TimeSpan.FromSeconds(1));
            var delta = await feed.SinceAsync(version, Cancel);
            version = delta.Version;
            if (delta.Pieces.ContainsKey("slot-throughput-4"))
                changed.Add(later);
        }

        // The load began at :03, and the page at :33: the bins end at :35, :40 and :45.
        Assert.Equal([4, 9], changed);

        _run.Begin(Stage() with { Record = Stage().Record with { Stage = "5" } });
        _lab.Clock.Advance(TimeSpan.FromSeconds(1));
        var another = (await feed.SinceAsync(0, Cancel)).Pieces.Keys;
        Assert.Contains("slot-throughput-5", another);
        Assert.DoesNotContain("slot-throughput-4", another);
    }

    [Fact]
    public async Task Where_no_stage_is_played_the_last_minutes_are_drawn_with_the_operations()
    {
        using var feed = new LiveFeed(Store, _run, _lab.Clock);

        var first = await feed.SinceAsync(0, Cancel);

        foreach (var chart in (string[])["in-out", "throughput", "backlog", "completed-age"])
            Assert.Contains("<svg", first.Pieces[$"slot-{chart}-recent"], StringComparison.Ordinal);
        Assert.Contains(
            "<td>ServiceBusProcessor.ProcessMessage</td>",
            first.Pieces["slot-operations"],
            StringComparison.Ordinal
        );
        Assert.Contains("slot-throughput-recent", first.Pieces["stage"], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Events_come_over_HTTP_and_a_page_that_is_left_open_does_not_keep_the_run_alive()
    {
        _run.Begin(Stage());
        await using var stream = await Http.GetStreamAsync("/events", Cancel);
        using var reader = new StreamReader(stream);

        var line = await reader.ReadLineAsync(Cancel);

        LiveLab.Leave("live-events.txt", line + "\n\n");
        Assert.StartsWith("data: ", line, StringComparison.Ordinal);
        Assert.True(
            JsonDocument
                .Parse(line!["data: ".Length..])
                .RootElement.GetProperty("pieces")
                .TryGetProperty("slot-throughput-4", out _)
        );
        await _lab.StopAsync();
    }

    [Fact]
    public async Task The_page_asks_nobody_but_the_lab_which_tells_its_tables_and_stands_in_no_frame_where_a_press_could_be_stolen()
    {
        using var answer = await Http.GetAsync("/", Cancel);
        var page = await answer.Content.ReadAsStringAsync(Cancel);

        LiveLab.Leave("live.html", page);
        Assert.Contains("connect-src 'self'", WebUtility.HtmlDecode(page), StringComparison.Ordinal);
        Assert.DoesNotContain("src=\"", page, StringComparison.Ordinal);
        Assert.Contains("\">throughput</option>", page, StringComparison.Ordinal);
        Assert.Equal("frame-ancestors 'none'", answer.Headers.GetValues("Content-Security-Policy").Single());

        var schema = await Http.GetStringAsync("/schema", Cancel);
        LiveLab.Leave("live-schema.json", schema);
        var tables = JsonDocument.Parse(schema).RootElement;
        Assert.Equal("datetime", tables.GetProperty("requests").GetProperty("timestamp").GetString());
        Assert.True(tables.TryGetProperty("queueSamples", out _));
    }

    [Theory]
    [InlineData(
        "requests | where cloud_RoleName == 'workflow' | summarize n=count() by bin(timestamp, 5s) | render timechart",
        "<div data-shape=\"chart\"><figure class=\"chart\" id=\"answer-chart\"",
        "<div data-shape=\"table\" hidden>",
        "<th scope=\"col\" class=\"number\">n</th>"
    )]
    [InlineData(
        "requests | summarize n=count() by cloud_RoleName",
        "<span class=\"name\">workflow</span>",
        "data-of=\"chart\" aria-pressed=\"true\""
    )]
    [InlineData(
        "requests | summarize n=count() by cloud_RoleName | render table",
        "<span class=\"name\">workflow</span>",
        "data-of=\"table\" aria-pressed=\"true\""
    )]
    [InlineData("requests | count", "<div data-shape=\"table\"><div class=\"scroll\">", "<td class=\"number\">")]
    public async Task A_time_chart_is_drawn_numbers_of_names_are_bars_and_other_answers_a_table_alone(
        string query,
        params string[] parts
    )
    {
        using var answer = await AskAsync(query);
        var html = await answer.Content.ReadAsStringAsync(Cancel);

        if (query.EndsWith("timechart", StringComparison.Ordinal))
            LiveLab.Leave("live-answer.html", html);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        AssertHas(html, parts);
    }

    [Theory]
    [InlineData("requests\n| sumarize count()", 2, 3, "summarize")]
    [InlineData("", 1, 1, "For example")]
    public async Task A_wrong_query_is_told_where_it_is_wrong_and_what_to_do(
        string query,
        int line,
        int column,
        string hint
    )
    {
        using var answer = await AskAsync(query);
        var mistake = await answer.Content.ReadFromJsonAsync<Mistake>(Cancel);

        if (line == 2)
            LiveLab.Leave("live-mistake.json", await answer.Content.ReadAsStringAsync(Cancel));
        Assert.Equal((HttpStatusCode.BadRequest, line, column), (answer.StatusCode, mistake!.Line, mistake.Column));
        Assert.Contains(hint, mistake.Hint, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_that_asks_for_too_much_ends_with_its_limit()
    {
        using var answer = await AskAsync(
            "requests | extend one = 1 | join kind=inner (requests | extend one = 1) on one | count"
        );
        var mistake = await answer.Content.ReadFromJsonAsync<Mistake>(Cancel);

        Assert.Contains("limit of 500,000 rows", mistake!.Reason, StringComparison.Ordinal);
        Assert.Contains("for at most 2 s", await Http.GetStringAsync("/", Cancel), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(100_000, false)]
    [InlineData(10, true)] // it does not say how long it is
    public async Task A_query_that_is_no_query_is_not_even_read(int length, bool isChunked)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/query")
        {
            Content = new StringContent(new string('x', length)),
        };
        request.Headers.TransferEncodingChunked = isChunked;
        using var answer = await Http.SendAsync(request, Cancel);

        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, answer.StatusCode);
    }

    [Theory]
    [InlineData("lab.example", null, HttpStatusCode.Forbidden)]
    [InlineData("localhost", "http://lab.example", HttpStatusCode.Forbidden)]
    [InlineData("localhost", "http://localhost:1", HttpStatusCode.Forbidden)]
    [InlineData("localhost", "null", HttpStatusCode.Forbidden)]
    [InlineData("localhost", null, HttpStatusCode.OK)]
    [InlineData("localhost:8080", "http://localhost:8080", HttpStatusCode.OK)] // through a tunnel
    [InlineData("127.0.0.1:5080", "http://127.0.0.1:5080", HttpStatusCode.OK)]
    public async Task Another_site_is_refused_and_the_page_itself_is_answered_at_every_name_of_this_machine(
        string host,
        string? origin,
        HttpStatusCode status
    )
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/query")
        {
            Content = new StringContent("requests | count"),
        };
        request.Headers.Host = host;
        if (origin is not null)
            request.Headers.Add("Origin", origin);
        using var answer = await Http.SendAsync(request, Cancel);

        Assert.Equal(status, answer.StatusCode);
    }

    /// <summary>An image of another site sends no origin: what it asks for would cost CPU all the same.</summary>
    [Theory]
    [InlineData("/schema", "cross-site", "no-cors", HttpStatusCode.Forbidden)]
    [InlineData("/schema", "same-site", "no-cors", HttpStatusCode.Forbidden)]
    [InlineData("/schema", "same-origin", "cors", HttpStatusCode.OK)]
    [InlineData("/schema", "none", "navigate", HttpStatusCode.OK)]
    [InlineData("/", "cross-site", "navigate", HttpStatusCode.OK)] // a link
    [InlineData("/", "cross-site", "no-cors", HttpStatusCode.Forbidden)]
    public async Task What_another_site_embeds_is_refused(string path, string site, string mode, HttpStatusCode status)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        request.Headers.Add("Sec-Fetch-Site", site);
        request.Headers.Add("Sec-Fetch-Mode", mode);
        using var answer = await Http.SendAsync(request, Cancel);

        Assert.Equal(status, answer.StatusCode);
    }

    private Task<HttpResponseMessage> AskAsync(string query) =>
        Http.PostAsync("/query", new StringContent(query), Cancel);

    private static LiveStage Stage() =>
        new(
            ImitatedRun.Shared.Record.Stages.Single(stage => stage.Stage == "4") with
            {
                StartedAt = ImitatedRun.Start,
            },
            ImitatedRun.Start.AddSeconds(-2)
        );
}
