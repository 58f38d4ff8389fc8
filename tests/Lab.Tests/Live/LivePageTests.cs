namespace DroneDelivery.Lab.Tests.Live;

public sealed class LivePageTests : IAsyncLifetime
{
    /// <summary>Shared by all tests because it takes seconds to create.</summary>
    private static readonly TelemetryStore Store = FakeRun.StoreOfStage4();

    private readonly LiveRun _run = new();
    private LiveLab _lab = null!;

    private HttpClient Http => _lab.Http;

    public async ValueTask InitializeAsync() =>
        _lab = await LiveLab.StartAsync(Store, _run, FakeRun.Start.AddSeconds(30));

    public ValueTask DisposeAsync() => _lab.DisposeAsync();

    [Fact]
    public async Task First_event_is_complete_and_later_ones_contain_changes()
    {
        _run.Begin(Stage());
        using var feed = new LiveFeed(Store, _run, _lab.Clock);

        var first = await feed.SinceAsync(0, Cancel);
        Assert.Contains("slot-in-out-4", first.Pieces.Keys);
        Assert.Contains("0:30", first.Pieces["tiles"], StringComparison.Ordinal);
        // The queue of requests, not that of failed requests, which is idle.
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

        // The load began at :03 and the page at :33, so the bins end at :35, :40, and :45.
        Assert.Equal([4, 9], changed);

        _run.Begin(Stage() with { Record = Stage().Record with { Stage = "5" } });
        _lab.Clock.Advance(TimeSpan.FromSeconds(1));
        var another = (await feed.SinceAsync(0, Cancel)).Pieces.Keys;
        Assert.Contains("slot-throughput-5", another);
        Assert.DoesNotContain("slot-throughput-4", another);
    }

    [Fact]
    public async Task Last_minutes_are_drawn_without_a_running_stage()
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
    public async Task Open_event_stream_does_not_keep_the_run_alive()
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
    public async Task Live_dashboard_loads_nothing_external_and_cannot_be_framed()
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
    public async Task Result_is_drawn_as_time_chart_bars_or_table(string query, params string[] parts)
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
    public async Task Invalid_query_is_reported_with_its_position_and_a_hint(
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
    public async Task Query_that_exceeds_a_limit_is_canceled()
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
    [InlineData(10, true)] // Without a Content-Length header.
    public async Task Oversized_query_is_rejected_unread(int length, bool isChunked)
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
    [InlineData("localhost:8080", "http://localhost:8080", HttpStatusCode.OK)] // Through a tunnel.
    [InlineData("127.0.0.1:5080", "http://127.0.0.1:5080", HttpStatusCode.OK)]
    public async Task Request_of_another_site_is_rejected(string host, string? origin, HttpStatusCode status)
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

    /// <summary>An image on another site sends no Origin header, but its request would still use CPU.</summary>
    [Theory]
    [InlineData("/schema", "cross-site", "no-cors", HttpStatusCode.Forbidden)]
    [InlineData("/schema", "same-site", "no-cors", HttpStatusCode.Forbidden)]
    [InlineData("/schema", "same-origin", "cors", HttpStatusCode.OK)]
    [InlineData("/schema", "none", "navigate", HttpStatusCode.OK)]
    [InlineData("/", "cross-site", "navigate", HttpStatusCode.OK)] // A link.
    [InlineData("/", "cross-site", "no-cors", HttpStatusCode.Forbidden)]
    public async Task Embedding_on_another_site_is_rejected(
        string path,
        string site,
        string mode,
        HttpStatusCode status
    )
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
            FakeRun.Shared.Record.Stages.Single(stage => stage.Stage == "4") with
            {
                StartedAt = FakeRun.Start,
            },
            FakeRun.Start.AddSeconds(-2)
        );
}
