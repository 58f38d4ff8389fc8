using DroneDelivery.ServiceDefaults.Telemetry;
using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.DataContracts;
using Microsoft.ApplicationInsights.Extensibility;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class SendingChannelTests : IAsyncLifetime
{
    private readonly RecordedLogs _logs = new();
    private FakeCollector _collector = null!;
    private SendingChannel _channel = null!;

    public async ValueTask InitializeAsync()
    {
        _collector = await FakeCollector.StartAsync();
        _channel = Channel(_collector.Endpoint, TimeSpan.FromHours(1));
    }

    public async ValueTask DisposeAsync()
    {
        _channel.Dispose();
        await _collector.DisposeAsync();
    }

    private SendingChannel Channel(Uri endpoint, TimeSpan interval)
    {
        SendingChannel channel = null!;
        var services = new ServiceCollection()
            .AddLogging(logging => logging.AddProvider(_logs))
            .AddSingleton(_ => new TelemetryClient(new TelemetryConfiguration { TelemetryChannel = channel }));
        return channel = new SendingChannel(endpoint, services.BuildServiceProvider(), interval);
    }

    private const string NotRead = "no answer that can be read";

    /// <param name="kept">With the next two, what becomes of three items; all are 0: they wait, and are sent again.</param>
    [Theory]
    [InlineData(206, """{ "itemsReceived": 3, "itemsAccepted": 1 }""", 1, 2, 0, "answers 206")]
    [InlineData(206, "<html>A proxy's page.</html>", 0, 0, 3, NotRead)]
    [InlineData(206, "", 0, 0, 3, NotRead)]
    [InlineData(206, """{ "itemsReceived": 3, "itemsAccepted": 4 }""", 0, 0, 3, NotRead)]
    [InlineData(206, """{ "itemsReceived": 3, "itemsAccepted": -1 }""", 0, 0, 3, NotRead)]
    [InlineData(204, "", 0, 3, 0, "answers 204")]
    [InlineData(400, "", 0, 3, 0, "answers 400")]
    [InlineData(408, "", 0, 0, 0, "answers 408")]
    [InlineData(429, "", 0, 0, 0, "answers 429")]
    [InlineData(439, "", 0, 0, 0, "answers 439")]
    [InlineData(503, "", 0, 0, 0, "answers 503")]
    public async Task An_answer_decides_over_its_items_and_no_others(
        int status,
        string body,
        int kept,
        int refused,
        int lost,
        string said
    )
    {
        _collector.Answer = _ =>
            status == 206
                ? Results.Text(body, body.StartsWith('<') ? "text/html" : "application/json", statusCode: status)
                : Results.StatusCode(status); // a body in a 204 would end the connection
        Send("a", "b", "c");
        var waiting = 3 - kept - refused - lost;
        Assert.Equal(waiting == 0, await _channel.SendAsync());
        Assert.Equal(new TelemetryTally(3, kept, refused, lost), _channel.Tally);
        Assert.Contains(said, Assert.Single(_logs.Lines), StringComparison.Ordinal);

        _collector.Answer = FakeCollector.Taken;
        Send("d");
        Assert.True(await _channel.SendAsync());
        Assert.Equal(new TelemetryTally(4, kept + waiting + 1, refused, lost), _channel.Tally);
        Assert.Equal(waiting > 0 ? 3 : 2, _collector.Uploads.Count);
    }

    [Fact]
    public async Task What_is_sent_again_is_the_same_upload_and_what_came_meanwhile_another()
    {
        _collector.Answer = _ => Results.StatusCode(503);
        Send("a");
        Assert.False(await _channel.SendAsync());
        Send("b");
        _collector.Answer = FakeCollector.Taken;
        Assert.True(await _channel.SendAsync());

        Assert.Equal(
            [
                ["a"],
                ["a"],
                ["b"],
            ],
            _collector.Uploads.Select(upload => upload.Names)
        );
        var ids = _collector.Uploads.Select(upload => upload.Id).ToList();
        Assert.Equal(ids[0], ids[1]);
        Assert.NotEqual(ids[1], ids[2]);
    }

    [Fact]
    public async Task An_upload_that_is_turned_down_for_a_minute_is_lost_and_the_next_passes()
    {
        _collector.Answer = _ => Results.StatusCode(503);
        Send("a");
        for (var i = 0; i < 59; i++)
            Assert.False(await _channel.SendAsync());
        Assert.True(await _channel.SendAsync());
        Assert.Equal(new TelemetryTally(1, 0, 0, 1), _channel.Tally);

        _collector.Answer = FakeCollector.Taken;
        Send("b");
        Assert.True(await _channel.SendAsync());
        Assert.Equal(new TelemetryTally(2, 1, 0, 1), _channel.Tally);

        _collector.Answer = _ => Results.StatusCode(503);
        Send("c");
        Assert.False(await _channel.SendAsync()); // has its own minute
    }

    [Fact]
    public async Task An_endpoint_that_is_gone_gets_everything_when_it_is_back()
    {
        await using var gone = await FakeReplica.StartAsync();
        using var channel = Channel(new Uri($"{gone.Address}/v2/track"), TimeSpan.FromHours(1));
        var port = gone.Port;
        await gone.DisposeAsync();
        channel.Send(new EventTelemetry("a"));
        Assert.False(await channel.SendAsync());
        Assert.Equal(new TelemetryTally(1, 0, 0, 0), channel.Tally);
        Assert.Contains("cannot be reached", _logs.Lines.First(), StringComparison.Ordinal);

        await using var back = await FakeReplica.StartAsync(port);
        Assert.True(await channel.SendAsync());
        Assert.Equal(new TelemetryTally(1, 1, 0, 0), channel.Tally);
    }

    [Fact]
    public async Task What_does_not_fit_in_memory_is_lost_and_counted()
    {
        _collector.Answer = _ => Results.StatusCode(503);
        for (var i = 0; i < 20_010; i++)
            _channel.Send(new EventTelemetry("x"));

        Assert.Equal(new TelemetryTally(20_010, 0, 0, 10), _channel.Tally);
        await _channel.StopAsync(Cancelled);
        Assert.Equal(new TelemetryTally(20_011, 0, 0, 20_011), _channel.Tally);
    }

    [Fact]
    public async Task An_upload_carries_no_more_than_500_items()
    {
        for (var i = 0; i < 1_001; i++)
            _channel.Send(new EventTelemetry("x"));

        Assert.True(await _channel.SendAsync());

        Assert.Equal([500, 500, 1], _collector.Uploads.Select(upload => upload.Names.Length));
        Assert.Equal(new TelemetryTally(1_001, 1_001, 0, 0), _channel.Tally);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_upload_under_way_at_the_end_is_not_sent_twice_and_not_waited_for_longer_than_whoever_ends_wants_to(
        bool isPatient
    )
    {
        var mayAnswer = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _collector.MayAnswer = mayAnswer.Task;
        using var channel = Channel(_collector.Endpoint, TimeSpan.FromMilliseconds(10));
        await channel.StartAsync(Cancelled);
        channel.Send(new EventTelemetry("a"));
        await Eventually.TrueAsync(() => _collector.Uploads.Count == 1);
        using var patience = new CancellationTokenSource();

        var end = channel.StopAsync(patience.Token);
        if (isPatient)
            mayAnswer.SetResult();
        else
            await patience.CancelAsync();
        await end;

        mayAnswer.TrySetResult();
        Assert.Equal(isPatient ? new(2, 2, 0, 0) : new TelemetryTally(2, 0, 0, 2), channel.Tally);
        if (isPatient)
        {
            Assert.Equal(
                [
                    ["a"],
                    [SendingChannel.EventName],
                ],
                _collector.Uploads.Select(upload => upload.Names)
            );
        }
    }

    [Fact]
    public async Task The_last_item_says_what_became_of_all_of_them_and_what_comes_later_is_lost()
    {
        _collector.Answer = _ => Results.StatusCode(400);
        Send("refused");
        await _channel.SendAsync();
        _collector.Answer = _ => Results.Text("<html>", "text/html", statusCode: 206);
        Send("lost", "lost");
        await _channel.SendAsync();
        _collector.Answer = FakeCollector.Taken;

        await _channel.StopAsync(Cancelled);

        Assert.Equal([SendingChannel.EventName], _collector.Uploads.Last().Names);
        var measured = FakeCollector.DataOf(_collector.Items.Last()).GetProperty("measurements");
        Assert.Equal(
            (4, 1, 2),
            (
                measured.GetProperty("sent").GetInt32(),
                measured.GetProperty("refused").GetInt32(),
                measured.GetProperty("lost").GetInt32()
            )
        );
        Send("late");
        Assert.True(await _channel.SendAsync());
        Assert.Equal(new TelemetryTally(5, 1, 1, 3), _channel.Tally);
    }

    private void Send(params string[] names)
    {
        foreach (var name in names)
            _channel.Send(new EventTelemetry(name));
    }
}
