using System.Net;
using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace DroneDelivery.LocalServiceBus.Tests.Page;

/// <summary>
/// The page at <c>/</c> and its requests. tests/report-browser tests its appearance and behavior in a browser.
/// </summary>
public sealed class PageTests : BrokerTest
{
    private Queue _orders = null!;

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        _orders = _broker.CreateQueue(name: "orders");
    }

    [Fact]
    public async Task Counters_contain_the_page_data_of_queues_and_topics()
    {
        _broker.CreateQueue(
            options => options with { ForwardTo = "orders", Status = EntityStatus.ReceiveDisabled },
            "front"
        );
        _broker.Broker.Entities.Create(new QueueOptions("news") { Kind = EntityKind.Topic });
        _broker.Broker.Entities.Create(QueueOptions.OfSubscription("news", "all"));

        var counters = await GetAsync("/$counters");

        var front = counters.GetProperty("queues").GetProperty("front");
        Assert.Equal(
            ("ReceiveDisabled", "orders"),
            (front.GetProperty("status").GetString(), front.GetProperty("forwardTo").GetString())
        );
        Assert.Equal("news", Assert.Single(counters.GetProperty("topics").EnumerateArray()).GetString());
        Assert.Equal(JsonValueKind.Null, counters.GetProperty("trouble").ValueKind);
        await PostAsync("/news/$send", new { body = "hello" });
        await Eventually.TrueAsync(() => _broker.Broker.CountsOf("news/Subscriptions/all").Active == 1);
    }

    [Fact]
    public async Task Messages_are_sent_with_properties_and_peeked_without_a_lock()
    {
        var written = new
        {
            body = "first",
            messageId = "m1",
            subject = "order",
            properties = new { priority = 1, urgent = true },
        };
        Assert.Equal("""{"sent":1}""", await PostAsync("/orders/$send", written));
        Enqueue(Encode("second"));

        var messages = (await GetAsync("/$messages?entity=orders")).EnumerateArray().ToList();
        var rest = await GetAsync("/$messages?entity=orders&from=2");

        Assert.Equal(["first", "second"], messages.Select(message => message.GetProperty("body").GetString()));
        Assert.Equal("""{"MessageId":"m1","Subject":"order"}""", messages[0].GetProperty("system").GetRawText());
        Assert.Equal("""{"priority":"1","urgent":"True"}""", messages[0].GetProperty("properties").GetRawText());
        Assert.Equal("Active", messages[0].GetProperty("state").GetString());
        Assert.Equal("second", Assert.Single(rest.EnumerateArray()).GetProperty("body").GetString());
        Assert.Equal((2, 0, 0), (_orders.Counts().Active, _orders.Counts().Outgoing, _orders.Counts().Locked));
    }

    [Fact]
    public async Task Binary_body_is_described_and_a_long_one_truncated()
    {
        Enqueue(new AmqpMessage { Data = [new byte[] { 0xff, 0xfe, 0x00 }] }.ToArray());
        Enqueue([1, 2, 3]);
        Enqueue(Encode(new string('x', 50_000)));
        Enqueue(new byte[2 * 1024 * 1024]);

        var bodies = (await GetAsync("/$messages?entity=orders"))
            .EnumerateArray()
            .Select(message => message.GetProperty("body").GetString()!)
            .ToList();

        Assert.StartsWith("3 bytes: FFFE00", bodies[0], StringComparison.Ordinal);
        Assert.Contains("not an AMQP message", bodies[1], StringComparison.Ordinal);
        Assert.Equal($"{new string('x', 10_000)}…", bodies[2]);
        Assert.Equal("2097152 bytes", bodies[3]);
    }

    [Fact]
    public async Task Invalid_send_is_rejected_with_the_reason()
    {
        _broker.CreateQueue(options => options with { RequiresSession = true }, "sessions");

        Assert.Contains("session", await PostAsync("/sessions/$send", new { body = "x" }), StringComparison.Ordinal);
        Assert.Contains("no/where", await PostAsync("/no/where/$send", new { body = "x" }), StringComparison.Ordinal);
        Assert.Contains(
            "$send",
            await PostAsync("/orders/$DeadLetterQueue/$send", new { body = "x" }),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Replay_of_one_dead_letter_leaves_the_others_unchanged()
    {
        foreach (var text in (string[])["a", "b", "c"])
            Enqueue(Encode(text));
        DeadLetterAll(3);

        Assert.Equal(
            """{"replayed":1,"why":null}""",
            await PostAsync("/orders/$DeadLetterQueue/$replay?sequenceNumber=2")
        );

        Assert.Equal(["b"], await BodiesAsync("orders"));
        Assert.Equal(["a", "c"], await BodiesAsync("orders/$DeadLetterQueue"));
        _broker.Broker.Entities.Update(_orders.Options with { Status = EntityStatus.SendDisabled });
        var answer = await PostAsync("/orders/$DeadLetterQueue/$replay");
        Assert.Contains("\"replayed\":0", answer, StringComparison.Ordinal);
        Assert.Contains("disabled", answer, StringComparison.Ordinal);
        Assert.Equal((2, 0), (_orders.DeadLetterQueue!.Counts().Active, _orders.DeadLetterQueue.Counts().Locked));
        Assert.All(_orders.DeadLetterQueue.Peek(0, 10), dead => Assert.Equal(0, dead.DeliveryCount));
    }

    [Fact]
    public async Task Replay_restores_all_dead_letters_despite_duplicate_detection()
    {
        _orders = _broker.CreateQueue(options => options with { RequiresDuplicateDetection = true }, "once");
        await PostAsync("/once/$send", new { body = "a", messageId = "1" });
        await PostAsync("/once/$send", new { body = "b", messageId = "2" });
        DeadLetterAll(2);

        Assert.Equal("""{"replayed":2,"why":null}""", await PostAsync("/once/$DeadLetterQueue/$replay"));

        var messages = (await GetAsync("/$messages?entity=once")).EnumerateArray().ToList();
        Assert.Equal(["a", "b"], messages.Select(message => message.GetProperty("body").GetString()));
        Assert.All(messages, message => Assert.Equal("{}", message.GetProperty("properties").GetRawText()));
        Assert.Equal(0, _orders.Counts().DeadLetter);
    }

    [Fact]
    public async Task Replay_ignores_messages_dead_lettered_after_its_start()
    {
        foreach (var text in (string[])["a", "b"])
            Enqueue(Encode(text));
        DeadLetterAll(2);
        // Dead-letters each returning message immediately.
        _orders
            .AddReceiver(
                ReceiveMode.PeekLock,
                (_, held) =>
                {
                    _orders.Settle(held!, new Settlement.DeadLettered());
                    return DeliveryResult.SentWantsMore;
                },
                onFailed: _ => { }
            )
            .Signal();

        Assert.Equal("""{"replayed":2,"why":null}""", await PostAsync("/orders/$DeadLetterQueue/$replay"));

        await Eventually.TrueAsync(() => _orders.Counts().DeadLetter == 2);
    }

    [Fact]
    public async Task Content_security_policy_allows_only_the_pages_own_script()
    {
        using var answer = await _http.GetAsync(new Uri("/", UriKind.Relative), Cancel);
        var page = await answer.Content.ReadAsStringAsync(Cancel);

        var policy = Assert.Single(answer.Headers.GetValues("Content-Security-Policy"));
        Assert.StartsWith("default-src 'none';", policy, StringComparison.Ordinal);
        foreach (var element in new[] { "style", "script" })
        {
            var content = Regex.Match(page, $"<{element}>(.*?)</{element}>", RegexOptions.Singleline).Groups[1].Value;
            var hash = Convert.ToBase64String(SHA256.HashData(Encoding.UTF8.GetBytes(content)));
            Assert.Contains($"{element}-src 'sha256-{hash}'", policy, StringComparison.Ordinal);
        }
        Assert.DoesNotContain("http://", page, StringComparison.Ordinal);
        Assert.Equal("nosniff", Assert.Single(answer.Headers.GetValues("X-Content-Type-Options")));
    }

    [Theory]
    [InlineData("/")]
    [InlineData("/$messages?entity=orders")]
    public async Task Request_under_another_host_name_requires_a_key(string path)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(path, UriKind.Relative))
        {
            Headers = { Host = "evil.example" },
        };
        using var answer = await _http.SendAsync(request, Cancel);
        Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
        Assert.StartsWith("Basic", Assert.Single(answer.Headers.WwwAuthenticate).ToString(), StringComparison.Ordinal);

        using var client = _broker.CreateHttpClient();
        client.DefaultRequestHeaders.Host = "servicebus:5672";
        using var withKey = await client.GetAsync(new Uri(path, UriKind.Relative), Cancel);
        Assert.Equal(HttpStatusCode.OK, withKey.StatusCode);
    }

    [Theory]
    [InlineData("same-origin", null, "localhost", HttpStatusCode.OK)]
    [InlineData("cross-site", null, "localhost", HttpStatusCode.Unauthorized)]
    [InlineData("same-origin", "http://evil.example", "localhost", HttpStatusCode.Forbidden)]
    [InlineData("same-origin", null, "evil.example", HttpStatusCode.Unauthorized)]
    public async Task Only_the_page_itself_can_make_changes_without_a_key(
        string site,
        string? origin,
        string host,
        HttpStatusCode expected
    )
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri("/orders/$purge", UriKind.Relative));
        request.Headers.Host = $"{host}:{_broker.Broker.Address.Port}";
        request.Headers.Add("Sec-Fetch-Site", site);
        if (origin is not null)
            request.Headers.Add("Origin", origin);

        using var answer = await _http.SendAsync(request, Cancel);

        Assert.Equal(expected, answer.StatusCode);
    }

    private protected override HttpClient CreateHttp() => new() { BaseAddress = _broker.Broker.Address };

    private void DeadLetterAll(int count)
    {
        foreach (var held in new TestReceiver(_orders, count).Locks.ToList())
            _orders.Settle(held, new Settlement.DeadLettered("Refused", "as the test wants"));
    }

    private void Enqueue(byte[] message) => _orders.Send(new MessageContent(message));

    private async Task<IEnumerable<string?>> BodiesAsync(string entity) =>
        (await GetAsync($"/$messages?entity={entity}"))
            .EnumerateArray()
            .Select(message => message.GetProperty("body").GetString());

    private Task<JsonElement> GetAsync(string path) =>
        _http.GetFromJsonAsync<JsonElement>(new Uri(path, UriKind.Relative), Cancel);

    private async Task<string> PostAsync(string path, object? body = null)
    {
        using var client = _broker.CreateHttpClient();
        using var answer = await client.PostAsJsonAsync(new Uri(path, UriKind.Relative), body, Cancel);
        return await answer.Content.ReadAsStringAsync(Cancel);
    }
}
