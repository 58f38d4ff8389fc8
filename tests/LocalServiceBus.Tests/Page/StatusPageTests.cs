using System.Net;
using System.Security.Cryptography;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace DroneDelivery.LocalServiceBus.Tests.Page;

/// <summary>The page at <c>/</c> and <c>/health</c>: what an operator sees of a broker.</summary>
public sealed class StatusPageTests : IAsyncLifetime
{
    private const string Markup = "<script>alert('x')</script>&\"";

    private readonly ManualTimeProvider _clock = new();
    private BrokerFixture _broker = null!;
    private HttpClient _http = null!;
    private Queue _orders = null!;

    public async ValueTask InitializeAsync()
    {
        _broker = await BrokerFixture.StartAsync(new LocalServiceBusOptions { Port = 0, TimeProvider = _clock }, Cancel);
        _http = new HttpClient { BaseAddress = _broker.Broker.Address };
        _orders = _broker.CreateQueue(name: "orders");
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _broker.DisposeAsync();
    }

    [Fact]
    public async Task Queues_are_listed_with_their_counts()
    {
        Send("a", "b", "c");
        _ = new TestReceiver(_orders, 1).Locks;

        Assert.Equal(["orders", "–", "–", "2", "1", "0", "0", "0", "0", "0"], CellsOf(await GetAsync("/"), "orders"));
    }

    [Fact]
    public async Task Rates_are_those_since_the_look_before()
    {
        await GetAsync("/");
        Send("a", "b", "c", "d");
        _ = new TestReceiver(_orders, 2).Locks;
        _clock.Advance(TimeSpan.FromSeconds(2));

        Assert.Equal(["2.0", "1.0"], CellsOf(await GetAsync("/"), "orders")[1..3]);
        _clock.Advance(TimeSpan.FromMinutes(2));
        Assert.Equal("–", CellsOf(await GetAsync("/"), "orders")[1]);
    }

    [Fact]
    public async Task Messages_are_shown_and_not_touched()
    {
        Send("first", "second");

        var page = await GetAsync("/?queue=orders");

        Assert.Contains("<code>first</code>", page, StringComparison.Ordinal);
        Assert.Contains("<code>second</code>", page, StringComparison.Ordinal);
        Assert.Equal((2, 0, 0), (_orders.Counts().Active, _orders.Counts().Outgoing, _orders.Counts().Locked));
    }

    [Fact]
    public async Task Dead_letters_are_shown_with_their_reasons()
    {
        Send("bad");
        var held = new TestReceiver(_orders, 1).Locks[0];
        _orders.Settle(held, new Settlement.DeadLettered("Refused", Markup));

        var page = await GetAsync("/?queue=orders&deadLetters=true");

        Assert.Contains("<strong>Refused</strong>", page, StringComparison.Ordinal);
        Assert.Contains(System.Text.Encodings.Web.HtmlEncoder.Default.Encode(Markup), page, StringComparison.Ordinal);
        Assert.DoesNotContain("<script", page, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("deadLetters=true", await GetAsync("/"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_a_client_wrote_is_text_and_never_markup()
    {
        Enqueue(new AmqpMessage { Data = [Encoding.UTF8.GetBytes(Markup)], ApplicationProperties = new() { [Markup] = Markup } }.ToArray());
        Enqueue(new AmqpMessage { Data = [new byte[] { 0xff, 0xfe, 0x00 }] }.ToArray());
        Enqueue(new AmqpMessage { Value = new List<object?> { 1, Markup } }.ToArray());
        Enqueue([1, 2, 3]);

        var page = await GetAsync("/?queue=orders");

        Assert.DoesNotContain("<script", page, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("3 bytes: FFFE00", page, StringComparison.Ordinal);
        Assert.Contains("no AMQP message", page, StringComparison.Ordinal);
        Assert.DoesNotContain("<script", await GetAsync($"/?queue={Uri.EscapeDataString(Markup)}"), StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public async Task A_long_message_is_shown_in_part()
    {
        Send(new string('x', 5000));
        Enqueue(new byte[2 * 1024 * 1024]);

        var page = await GetAsync("/?queue=orders");

        Assert.Contains($">{new string('x', 500)}&#x2026;<", page, StringComparison.Ordinal);
        Assert.True(page.Length < 10_000);
    }

    [Fact]
    public async Task The_page_loads_nothing_from_elsewhere_and_runs_no_script()
    {
        using var answer = await _http.GetAsync(new Uri("/", UriKind.Relative), Cancel);
        var page = await answer.Content.ReadAsStringAsync(Cancel);

        var policy = Assert.Single(answer.Headers.GetValues("Content-Security-Policy"));
        Assert.StartsWith("default-src 'none'; style-src 'sha256-", policy, StringComparison.Ordinal);
        var style = Regex.Match(page, "<style>(.*?)</style>", RegexOptions.Singleline).Groups[1].Value;
        Assert.Contains(Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(style))), policy, StringComparison.Ordinal);
        Assert.DoesNotContain("http://", page, StringComparison.Ordinal);
        Assert.DoesNotContain("style=", page, StringComparison.Ordinal);
        Assert.Equal("nosniff", Assert.Single(answer.Headers.GetValues("X-Content-Type-Options")));
    }

    [Fact]
    public async Task A_browser_that_was_sent_to_the_broker_under_another_name_needs_a_key()
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("/", UriKind.Relative)) { Headers = { Host = "evil.example" } };
        using var answer = await _http.SendAsync(request, Cancel);
        Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
        Assert.StartsWith("Basic", Assert.Single(answer.Headers.WwwAuthenticate).ToString(), StringComparison.Ordinal);

        using var client = _broker.CreateHttpClient();
        client.DefaultRequestHeaders.Host = "servicebus:5672";
        Assert.Contains("orders", await client.GetStringAsync(new Uri("/", UriKind.Relative), Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Health_names_what_an_operator_has_to_do()
    {
        using var health = JsonDocument.Parse(await GetAsync("/health"));

        Assert.Equal("Healthy", health.RootElement.GetProperty("status").GetString());
        Assert.Equal(0, health.RootElement.GetProperty("defects").GetInt64());
        Assert.Empty(health.RootElement.GetProperty("failedQueues").EnumerateArray());
    }

    private void Send(params string[] texts)
    {
        foreach (var text in texts)
            Enqueue(new AmqpMessage { Data = [Encoding.UTF8.GetBytes(text)] }.ToArray());
    }

    private void Enqueue(byte[] message) =>
        Assert.Equal(EnqueueResult.Accepted, _orders.Enqueue([new MessageContent(message)], new long[1]));

    private Task<string> GetAsync(string path) => _http.GetStringAsync(new Uri(path, UriKind.Relative), Cancel);

    private static string[] CellsOf(string page, string queue)
    {
        var row = page.Split("<tr>").Single(row => row.Contains($"?queue={queue}\"", StringComparison.Ordinal));
        return [.. row.Split("<td").Skip(1).Select(cell => Regex.Replace($"<td{cell}".Split("</tbody>")[0], "<[^>]*>", ""))];
    }
}
