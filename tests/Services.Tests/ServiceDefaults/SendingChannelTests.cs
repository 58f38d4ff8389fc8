using System.Collections.Concurrent;
using System.IO.Compression;
using System.Text.Json;
using DroneDelivery.ServiceDefaults.Telemetry;
using Microsoft.ApplicationInsights.DataContracts;
using Microsoft.ApplicationInsights.Extensibility;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>What becomes of telemetry that an endpoint does not take, or takes in part.</summary>
public sealed class SendingChannelTests : IAsyncLifetime
{
    private readonly ConcurrentQueue<string[]> _uploads = new();
    private readonly ConcurrentQueue<string?> _outcomes = new();
    private Func<string[], IResult> _answer = items => Partial(items.Length);
    private Task _mayAnswer = Task.CompletedTask;
    private WebApplication _app = null!;
    private SendingChannel _channel = null!;
    private JsonElement _lastMeasurements;

    public async ValueTask InitializeAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        _app = builder.Build();
        _app.Urls.Add("http://127.0.0.1:0");
        _app.MapPost("/v2/track", TakeAsync);
        await _app.StartAsync(TestContext.Current.CancellationToken);
        _channel = new SendingChannel(Endpoint, TimeSpan.FromHours(1)) { Outcome = _outcomes.Enqueue };
    }

    public async ValueTask DisposeAsync()
    {
        _channel.Dispose();
        await _app.DisposeAsync();
    }

    private Uri Endpoint => new($"{_app.Urls.First()}/v2/track");

    [Theory]
    [InlineData("text/html", "<html>A proxy's page.</html>")]
    [InlineData("application/json", "null")]
    [InlineData("application/json", "{}")]
    [InlineData("application/json", "")]
    [InlineData("application/json", """{ "itemsReceived": 3, "itemsAccepted": 4 }""")]
    [InlineData("application/json", """{ "itemsReceived": 3, "itemsAccepted": -1 }""")]
    [InlineData("application/json", """{ "itemsReceived": 3, "itemsAccepted": 1, "errors": [{ "index": 3, "statusCode": 500 }] }""")]
    [InlineData("application/json", """{ "itemsReceived": 3, "itemsAccepted": 1, "errors": [{ "index": -1, "statusCode": 500 }] }""")]
    [InlineData(
        "application/json",
        """{ "itemsReceived": 3, "itemsAccepted": 1, "errors": [{ "index": 0, "statusCode": 500 }, """
            + """{ "index": 0, "statusCode": 500 }] }""")]
    [InlineData(
        "application/json",
        """{ "itemsReceived": 3, "itemsAccepted": 2, "errors": [{ "index": 0, "statusCode": 500 }, """
            + """{ "index": 1, "statusCode": 500 }] }""")]
    public async Task A_206_that_does_not_say_what_was_taken_loses_its_items_and_no_others(string type, string body)
    {
        _answer = _ => Results.Text(body, type, statusCode: 206);
        Send("a", "b", "c");
        Assert.True(await FlushAsync());
        Assert.Equal(new TelemetryTally(3, 0, 0, 3), _channel.Tally);
        Assert.Contains("206", Assert.Single(_outcomes), StringComparison.Ordinal);

        _answer = items => Partial(items.Length);
        Send("d");
        Assert.True(await FlushAsync());
        Assert.Equal(new TelemetryTally(4, 1, 0, 3), _channel.Tally);
    }

    [Theory]
    [InlineData(408)]
    [InlineData(429)]
    [InlineData(439)]
    [InlineData(500)]
    [InlineData(503)]
    public async Task Items_of_a_206_that_may_be_taken_later_are_sent_again_and_they_alone(int status)
    {
        _answer = _ => Partial(1, (1, status), (2, 400));
        Send("a", "b", "c");
        Assert.False(await FlushAsync());
        Assert.Equal(new TelemetryTally(3, 1, 1, 0), _channel.Tally);
        Assert.Contains("1 of 3 items", Assert.Single(_outcomes), StringComparison.Ordinal);

        _answer = items => Partial(items.Length);
        Assert.True(await FlushAsync());

        Assert.Equal([["a", "b", "c"], ["b"]], _uploads);
        Assert.Equal(new TelemetryTally(3, 2, 1, 0), _channel.Tally);
        Assert.Null(_outcomes.Last());
    }

    [Theory]
    [InlineData(408)]
    [InlineData(429)]
    [InlineData(439)]
    [InlineData(500)]
    [InlineData(503)]
    public async Task An_upload_that_may_be_taken_later_is_sent_again(int status)
    {
        _answer = _ => Results.StatusCode(status);
        Send("a", "b");
        Assert.False(await FlushAsync());
        Assert.Equal(new TelemetryTally(2, 0, 0, 0), _channel.Tally);
        Assert.Contains($"{status}", Assert.Single(_outcomes), StringComparison.Ordinal);

        _answer = items => Partial(items.Length);
        Assert.True(await FlushAsync());
        Assert.Equal(new TelemetryTally(2, 2, 0, 0), _channel.Tally);
    }

    [Theory]
    [InlineData(204)]
    [InlineData(400)]
    [InlineData(402)]
    [InlineData(404)]
    public async Task An_upload_that_is_refused_is_counted_and_not_sent_again(int status)
    {
        _answer = _ => Results.StatusCode(status);
        Send("a", "b");

        Assert.True(await FlushAsync());
        Assert.True(await FlushAsync());

        Assert.Single(_uploads);
        Assert.Equal(new TelemetryTally(2, 0, 2, 0), _channel.Tally);
        Assert.Contains($"answers {status}", Assert.Single(_outcomes), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_item_that_is_turned_down_for_a_minute_is_lost_and_the_others_pass()
    {
        _answer = items => items.Contains("bad") ? Partial(items.Length - 1, (Array.IndexOf(items, "bad"), 500)) : Partial(items.Length);
        Send("bad", "good");
        for (var i = 0; i < 60; i++)
            Assert.False(await FlushAsync());

        Assert.True(await FlushAsync());

        Assert.Equal(61, _uploads.Count(items => items.Contains("bad")));
        Assert.Equal(new TelemetryTally(2, 1, 0, 1), _channel.Tally);
    }

    [Fact]
    public async Task An_endpoint_that_is_gone_gets_everything_when_it_is_back()
    {
        await using var gone = await FakeReplica.StartAsync();
        using var channel = new SendingChannel(new Uri($"{gone.Address}/v2/track"), TimeSpan.FromHours(1)) { Outcome = _outcomes.Enqueue };
        var port = gone.Port;
        await gone.DisposeAsync();
        channel.Send(new EventTelemetry("a"));
        Assert.False(await channel.FlushAsync(TestContext.Current.CancellationToken));
        Assert.Equal(new TelemetryTally(1, 0, 0, 0), channel.Tally);
        Assert.Contains("cannot be reached", _outcomes.First(), StringComparison.Ordinal);

        await using var back = await FakeReplica.StartAsync(port);
        Assert.True(await channel.FlushAsync(TestContext.Current.CancellationToken));
        Assert.Equal(new TelemetryTally(1, 1, 0, 0), channel.Tally);
    }

    [Fact]
    public async Task What_does_not_fit_in_memory_is_lost_and_counted()
    {
        _answer = _ => Results.StatusCode(503);
        for (var i = 0; i < 20_010; i++)
            _channel.Send(new EventTelemetry("x"));

        Assert.Equal(new TelemetryTally(20_010, 0, 0, 10), _channel.Tally);
        await EndAsync();
        Assert.Equal(new TelemetryTally(20_010, 0, 0, 20_010), _channel.Tally);
    }

    [Fact]
    public async Task A_full_upload_is_sent_at_once_and_carries_no_more_than_500_items()
    {
        for (var i = 0; i < 1_001; i++)
            _channel.Send(new EventTelemetry("x"));

        await Eventually.TrueAsync(() => _channel.Tally.Kept == 1_001);

        Assert.All(_uploads, items => Assert.InRange(items.Length, 1, 500));
        Assert.Contains(_uploads, items => items.Length == 500);
    }

    [Fact]
    public async Task As_soon_as_an_upload_is_full_it_is_sent()
    {
        for (var i = 0; i < 500; i++)
            _channel.Send(new EventTelemetry("x"));

        await Eventually.TrueAsync(() => _channel.Tally.Kept == 500);
    }

    [Fact]
    public async Task Nobody_has_to_flush()
    {
        using var channel = new SendingChannel(Endpoint);
        channel.Send(new EventTelemetry("a"));

        await Eventually.TrueAsync(() => channel.Tally.Kept == 1);
    }

    [Fact]
    public async Task The_loop_outlives_an_answer_that_nobody_expects()
    {
        using var channel = new SendingChannel(Endpoint, TimeSpan.FromMilliseconds(10));
        _answer = _ => Results.Text("<html>", "text/html", statusCode: 206);
        channel.Send(new EventTelemetry("a"));
        await Eventually.TrueAsync(() => channel.Tally.Lost == 1);

        _answer = items => Partial(items.Length);
        channel.Send(new EventTelemetry("b"));
        await Eventually.TrueAsync(() => channel.Tally.Kept == 1);
        await channel.EndAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task An_upload_under_way_at_the_end_is_not_sent_twice()
    {
        var mayAnswer = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _mayAnswer = mayAnswer.Task;
        using var channel = new SendingChannel(Endpoint, TimeSpan.FromMilliseconds(10));
        channel.Send(new EventTelemetry("a"));
        await Eventually.TrueAsync(() => _uploads.Count == 1);

        var end = channel.EndAsync(TestContext.Current.CancellationToken);
        mayAnswer.SetResult();
        await end;

        Assert.Single(_uploads);
        Assert.Equal(new TelemetryTally(1, 1, 0, 0), channel.Tally);
    }

    [Fact]
    public async Task Whoever_ends_does_not_wait_for_an_answer_longer_than_it_wants_to()
    {
        var mayAnswer = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _mayAnswer = mayAnswer.Task;
        using var channel = new SendingChannel(Endpoint, TimeSpan.FromMilliseconds(10));
        channel.Send(new EventTelemetry("a"));
        await Eventually.TrueAsync(() => _uploads.Count == 1);
        using var patience = new CancellationTokenSource();

        var end = channel.EndAsync(patience.Token);
        await patience.CancelAsync();
        await end;
        mayAnswer.SetResult();

        Assert.Equal(new TelemetryTally(1, 0, 0, 1), channel.Tally);
    }

    [Fact]
    public async Task What_comes_after_the_end_is_lost()
    {
        Send("a");
        await EndAsync();
        Send("b");

        Assert.True(await FlushAsync());
        Assert.Equal(new TelemetryTally(2, 1, 0, 1), _channel.Tally);
    }

    [Fact]
    public async Task The_last_item_says_what_became_of_all_of_them()
    {
        _answer = _ => Results.StatusCode(400);
        Send("refused");
        await FlushAsync();
        _answer = _ => Results.Text("<html>", "text/html", statusCode: 206);
        Send("lost", "lost");
        await FlushAsync();
        _answer = items => Partial(items.Length);
        using var configuration = new TelemetryConfiguration { TelemetryChannel = _channel };

        var last = new LastTelemetry(new(configuration), _channel, NullLogger<LastTelemetry>.Instance);
        await last.StoppedAsync(TestContext.Current.CancellationToken);

        Assert.Equal([LastTelemetry.EventName], _uploads.Last());
        Assert.Equal(4, _lastMeasurements.GetProperty("sent").GetInt32());
        Assert.Equal(1, _lastMeasurements.GetProperty("refused").GetInt32());
        Assert.Equal(2, _lastMeasurements.GetProperty("lost").GetInt32());
    }

    private void Send(params string[] names)
    {
        foreach (var name in names)
            _channel.Send(new EventTelemetry(name));
    }

    private Task<bool> FlushAsync() => _channel.FlushAsync(TestContext.Current.CancellationToken);

    private Task EndAsync() => _channel.EndAsync(TestContext.Current.CancellationToken);

    private static IResult Partial(int accepted, params (int Index, int StatusCode)[] errors) => Results.Json(
        new
        {
            itemsReceived = accepted + errors.Length,
            itemsAccepted = accepted,
            errors = errors.Select(error => new { index = error.Index, statusCode = error.StatusCode, message = "No." }),
        },
        statusCode: errors.Length == 0 ? 200 : 206);

    private async Task<IResult> TakeAsync(HttpRequest request)
    {
        Assert.Equal("application/x-json-stream", request.ContentType);
        await using var body = new GZipStream(request.Body, CompressionMode.Decompress);
        using var reader = new StreamReader(body);
        var names = new List<string>();
        while (await reader.ReadLineAsync() is { } line)
        {
            var data = JsonDocument.Parse(line).RootElement.GetProperty("data").GetProperty("baseData");
            names.Add(data.GetProperty("name").GetString()!);
            data.TryGetProperty("measurements", out _lastMeasurements);
        }
        _uploads.Enqueue([.. names]);
        await _mayAnswer;
        return _answer([.. names]);
    }
}
