using DroneDelivery.Lab.Predict;
using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Tests.WhatIf;

public sealed class WhatIfPageTests : IAsyncLifetime
{
    private const string Endless =
        "stage=1&workflow.replicas=20&workflow.maxConcurrentCalls=1000&workflow.retryFor=86400"
        + "&workflow.retryDelay=0.001&queue.maxDeliveryCount=2000&http.retryDelays=&http.breakerFailureRatio=0&nodes.cpuCost=0"
        + "&queue.messagesAtStart=80000&load.maxUsers=1&load.duration=7200&workflow.prefetchCount=8000";

    private readonly HttpClient _http = new();
    private ServedPage _server = null!;

    public async ValueTask InitializeAsync()
    {
        _server = await WhatIfServer.StartAsync(port: 0, k: 8, new(0), Cancel);
        _http.BaseAddress = new UriBuilder(_server.Address) { Host = "127.0.0.1" }.Uri;
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task The_page_has_a_slider_for_each_knob_and_a_preset_for_each_stage_and_asks_nobody_else()
    {
        using var answer = await _http.GetAsync("/what-if", Cancel);
        var page = await answer.Content.ReadAsStringAsync(Cancel);

        Assert.Equal("frame-ancestors 'none'", answer.Headers.GetValues("Content-Security-Policy").Single());
        Assert.True(answer.Headers.CacheControl!.NoStore);
        AssertHas(page, [.. Slider.All.Select(slider => $"type=\"range\" id=\"{slider.Name}\"")]);
        Assert.Contains("connect-src 'self'", WebUtility.HtmlDecode(page), StringComparison.Ordinal);

        var known = Regex.Match(page, "id=\"known\">(.*?)</script>", RegexOptions.Singleline).Groups[1].Value;
        var stages = JsonDocument.Parse(known).RootElement.GetProperty("stages");
        Assert.Equal(Stage.All().Select(stage => stage.Id), stages.EnumerateObject().Select(stage => stage.Name));
        Assert.Equal(3000, stages.GetProperty("4").GetProperty("workflow.prefetchCount").GetDouble());
        Assert.Equal(40, stages.GetProperty("1").GetProperty("load.maxUsers").GetDouble());
        Assert.Equal(12, stages.GetProperty("6").GetProperty("nodes.count").GetDouble());
        foreach (var stage in stages.EnumerateObject())
        {
            var all = string.Join('&', stage.Value.EnumerateObject().Select(knob => $"{knob.Name}={knob.Value}"));
            Assert.Contains(
                "completed",
                Piece(await AskAsync($"stage={stage.Name}&{all}"), "tiles"),
                StringComparison.Ordinal
            );
        }
    }

    [Theory]
    [InlineData("stage=2", "Calls at a time bind: handlers: 3 × 1: 12.2/s", "12.")]
    [InlineData("stage=4", "Prefetch against lock binds", "refused: lock over")]
    [InlineData("stage=4&workflow.prefetchCount=1000", "CPU binds: CPU of node", "No lock is lost")]
    [InlineData("stage=1", "Redis binds", "Next behind it: ")]
    [InlineData("stage=6", "The load binds: all 80/s can be completed", "No lock is lost")]
    public async Task What_binds_is_said_in_words(string query, string binds, string also)
    {
        var answer = await AskAsync(query);

        Assert.Contains(binds, WebUtility.HtmlDecode(Piece(answer, "says")), StringComparison.Ordinal);
        Assert.Contains(also, Piece(answer, "says") + Piece(answer, "tiles"), StringComparison.Ordinal);
        foreach (var chart in (string[])["throughput", "backlog", "nodes"])
            Assert.Contains("<svg", Piece(answer, chart), StringComparison.Ordinal);
        Assert.Equal(query == "stage=4", Piece(answer, "locks").Contains("<svg", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("4", "queue.lockDuration=60")]
    [InlineData("4", "queue.lockDuration=5")] // A lock so short that a message for each call is all that is safe.
    [InlineData("6", "workflow.maxConcurrentCalls=50")]
    public async Task The_prefetch_limits_are_those_of_the_full_length(string stage, string knob)
    {
        var full = StagePlan.Of(
            Stage.Load(stage),
            new(K: 1, KnobSet.Parse([knob]), null, "", new(0), Seed: 1, Open: false)
        );
        var planned = Planner.Of(SimulatedSetting.Of(full));

        var answer = await AskAsync($"stage={stage}&{knob}");

        AssertHas(
            Piece(answer, "says"),
            $"keeps its locks up to a prefetch count of {Math.Floor(planned.LargestPrefetch):N0}."
        );
        AssertHas(Piece(answer, "tiles"), $"<dt>prefetch is safe up to</dt><dd>{planned.SafePrefetch:N0}</dd>");
    }

    [Fact]
    public async Task A_question_that_would_take_minutes_is_refused()
    {
        using var answer = await _http.GetAsync($"/what-if/answer?{Endless}", Cancel);

        Assert.Contains("./lab simulate", await answer.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
    }

    [Fact]
    public async Task Who_asks_when_too_many_wait_is_sent_away_and_may_ask_again()
    {
        using var left = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var asked = Enumerable
            .Range(0, 40)
            .Select(_ => _http.GetAsync($"/what-if/answer?{Endless}", left.Token))
            .ToList();

        using var first = await await Task.WhenAny(asked);

        Assert.Equal(HttpStatusCode.ServiceUnavailable, first.StatusCode);
        Assert.Contains(
            "Too many pending queries (32)",
            await first.Content.ReadAsStringAsync(Cancel),
            StringComparison.Ordinal
        );
        await left.CancelAsync();
        HttpStatusCode again;
        do
        {
            // The server has still to notice who has left.
            using var answer = await _http.GetAsync("/what-if/answer?stage=2", Cancel);
            again = answer.StatusCode;
        } while (again == HttpStatusCode.ServiceUnavailable);
        Assert.Equal(HttpStatusCode.OK, again);
    }

    [Theory]
    [InlineData(
        "stage=2&redis.deliveriesThatFit=1000",
        "./lab run 2 --set load.instructions=17000 --set redis.deliveriesThatFit=1000"
    )]
    [InlineData(
        "stage=4&workflow.prefetchCount=300&queue.lockDuration=90",
        "./lab run 4 --set queue.lockDuration=90s --set workflow.prefetchCount=300"
    )]
    public async Task The_command_plays_what_is_shown(string query, string command) =>
        Assert.Equal(command, (await AskAsync(query)).GetProperty("command").GetString());

    [Theory]
    [InlineData("stage=99", "99 is not a stage. There are: 1, 2")]
    [InlineData("stage=4&workflow.prefetchCont=300", "is not a knob. Did you mean workflow.prefetchCount")]
    [InlineData(
        "stage=4&workflow.prefetchCount=-1",
        "workflow.prefetchCount=-1: expected a whole number from 0 to 10000"
    )]
    [InlineData("stage=4&workflow.prefetchCount=10", "is less than workflow.maxConcurrentCalls=20")]
    [InlineData("stage=4&load.maxUsers=1000&load.duration=7200", "the page takes up to 100,000")]
    [InlineData("stage=4&%3Cscript%3E=1", "is not a knob")]
    public async Task What_cannot_be_is_one_sentence(string query, string why)
    {
        using var answer = await _http.GetAsync($"/what-if/answer?{query}", Cancel);
        var mistake = await answer.Content.ReadFromJsonAsync<JsonElement>(Cancel);

        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Contains(why, mistake.GetProperty("error").GetString(), StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("0123456789ABCDEF0123456789ABCDEF")]
    public async Task Nobody_plays_without_the_token_of_the_page(string? token)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/what-if/play?stage=2");
        if (token is not null)
            request.Headers.Add("X-Token", token);
        using var answer = await _http.SendAsync(request, Cancel);

        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
        Assert.Contains(
            "Load the page again",
            await answer.Content.ReadAsStringAsync(Cancel),
            StringComparison.Ordinal
        );
        using var state = await _http.GetAsync("/what-if/run", Cancel);
        Assert.Equal(HttpStatusCode.NoContent, state.StatusCode);
    }

    [Fact]
    public async Task A_port_in_use_is_said_with_the_option_that_helps()
    {
        var mistake = await Assert.ThrowsAsync<LabException>(() =>
            WhatIfServer.StartAsync(_server.Address.Port, 8, new(0), Cancel)
        );

        Assert.Contains("--port 0", mistake.Message, StringComparison.Ordinal);
    }

    private async Task<JsonElement> AskAsync(string query) =>
        await _http.GetFromJsonAsync<JsonElement>($"/what-if/answer?{query}", Cancel);

    private static string Piece(JsonElement answer, string id) =>
        answer.GetProperty("pieces").GetProperty(id).GetString()!;
}
