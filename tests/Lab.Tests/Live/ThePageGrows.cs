using System.Net;
using System.Text.Json;
using DroneDelivery.Lab.Live;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Tests.Report;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace DroneDelivery.Lab.Tests.Live;

/// <summary>The live page over the telemetry of an imitated stage, 30 s after its load began.</summary>
public sealed class ThePageGrows : IAsyncLifetime
{
    private readonly LiveRun _run = new();
    private readonly ManualTimeProvider _clock = new(ImitatedRun.Start.AddSeconds(30));
    private readonly HttpClient _http = new();
    private readonly TelemetryStore _store = ImitatedRun.StoreOfStage4();
    private WebApplication _host = null!;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        _host = builder.Build();
        _host.MapLivePage(_store, _run, _clock);
        await _host.StartAsync(Cancel);
        _http.BaseAddress = new Uri(_host.Urls.First());
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _host.DisposeAsync();
    }

    [Fact]
    public async Task The_first_event_has_everything_and_the_next_only_what_has_changed()
    {
        _run.Begin(Stage());
        using var feed = new LiveFeed(_store, _run, _clock);

        var first = await feed.SinceAsync(0, Cancel);
        Assert.Contains("slot-in-out-4", first.Pieces.Keys);
        Assert.Contains("0:30", first.Pieces["tiles"], StringComparison.Ordinal);
        Assert.Contains("data-edge=\"workflow delivery\"", first.Pieces["slot-map"], StringComparison.Ordinal);

        _clock.Advance(TimeSpan.FromSeconds(1));
        var second = await feed.SinceAsync(first.Version, Cancel);
        Assert.Equal(["tiles"], second.Pieces.Keys);
        Assert.Contains("0:31", second.Pieces["tiles"], StringComparison.Ordinal);
    }

    [Fact]
    public async Task All_viewers_of_a_second_share_its_work()
    {
        _run.Begin(Stage());
        using var feed = new LiveFeed(_store, _run, _clock);

        var versions = new List<long>();
        for (var viewer = 0; viewer < 10; viewer++)
            versions.Add((await feed.SinceAsync(0, Cancel)).Version);

        Assert.Equal(1, versions.Distinct().Single());
    }

    [Fact]
    public async Task Events_come_over_HTTP()
    {
        _run.Begin(Stage());
        await using var stream = await _http.GetStreamAsync("/events", Cancel);
        using var reader = new StreamReader(stream);

        var line = await reader.ReadLineAsync(Cancel);

        Assert.StartsWith("data: ", line, StringComparison.Ordinal);
        Assert.True(JsonDocument.Parse(line!["data: ".Length..]).RootElement.GetProperty("pieces").TryGetProperty("slot-throughput-4", out _));
    }

    [Fact]
    public async Task The_page_asks_nobody_but_the_lab()
    {
        var page = await _http.GetStringAsync("/", Cancel);

        Assert.Contains("connect-src 'self'", WebUtility.HtmlDecode(page), StringComparison.Ordinal);
        Assert.DoesNotContain("src=\"", page, StringComparison.Ordinal);
        Assert.Contains("\">throughput</option>", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_is_answered_with_its_chart_and_rows()
    {
        using var answer = await _http.PostAsync("/query", new StringContent("requests | where cloud_RoleName == 'workflow' | summarize n=count() by bin(timestamp, 5s) | render timechart"), Cancel);
        var html = await answer.Content.ReadAsStringAsync(Cancel);

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Contains("id=\"answer-chart\"", html, StringComparison.Ordinal);
        Assert.Contains("<th scope=\"col\" class=\"number\">n</th>", html, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("requests | sumarize count()", "summarize")]
    [InlineData("", "line 1")]
    public async Task A_wrong_query_is_told_where_it_is_wrong(string query, string part)
    {
        using var answer = await _http.PostAsync("/query", new StringContent(query), Cancel);

        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Contains(part, await answer.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_that_is_no_query_is_not_even_read()
    {
        using var answer = await _http.PostAsync("/query", new StringContent(new string('x', 100_000)), Cancel);

        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, answer.StatusCode);
    }

    [Fact]
    public async Task Tables_and_columns_are_known_to_who_completes()
    {
        var schema = JsonDocument.Parse(await _http.GetStringAsync("/schema", Cancel)).RootElement;

        Assert.Equal("datetime", schema.GetProperty("requests").GetProperty("timestamp").GetString());
        Assert.True(schema.TryGetProperty("queueSamples", out _));
    }

    [Fact]
    public async Task A_page_that_is_left_open_does_not_keep_the_run_alive()
    {
        await using var stream = await _http.GetStreamAsync("/events", Cancel);

        await _host.StopAsync(Cancel).WaitAsync(TimeSpan.FromSeconds(20), Cancel);
    }

    private static LiveStage Stage() => new(ImitatedRun.Shared.Record.Stages.Single(stage => stage.Stage == "4") with { StartedAt = ImitatedRun.Start }, ImitatedRun.Start.AddSeconds(-2));
}
