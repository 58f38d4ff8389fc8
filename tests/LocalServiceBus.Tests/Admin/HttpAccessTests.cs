using System.Net;
using System.Net.Http.Headers;
using System.Net.WebSockets;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Admin;
using DroneDelivery.LocalServiceBus.Configuration;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.LocalServiceBus.Tests.Admin;

public sealed class HttpAccessTests : BrokerTest
{
    private const string Manager = "manager:manager-key",
        Listener = "listener:listener-key";

    private readonly RulesFile _file = new();

    // Late enough for tests that run late: the tokens are created at discovery, before the first test runs.
    private static DateTimeOffset Soon => TimeProvider.System.GetUtcNow().AddDays(1);

    private protected override LocalServiceBusOptions Options => new() { Port = 0, ConfigFile = _file.Path };

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _file.Dispose();
    }

    public static TheoryData<string, string?, HttpStatusCode> Headers =>
        new()
        {
            { "/orders", null, HttpStatusCode.Unauthorized },
            { "/orders", "Basic", HttpStatusCode.Unauthorized },
            { "/orders", "Basic %%%", HttpStatusCode.Unauthorized },
            { "/orders", Basic("manager"), HttpStatusCode.Unauthorized },
            { "/orders", Basic("manager:listener-key"), HttpStatusCode.Unauthorized },
            { "/orders", Basic(Listener), HttpStatusCode.Unauthorized },
            { "/orders", Basic(Manager), HttpStatusCode.OK },
            { "/orders", Basic("RootManageSharedAccessKey:SAS_KEY_VALUE"), HttpStatusCode.Unauthorized },
            { "/orders", "Bearer x", HttpStatusCode.Unauthorized },
            { "/orders", "SharedAccessSignature x", HttpStatusCode.Unauthorized },
            { "/orders", Sas.Token("http://localhost/", Soon, "manager", "manager-key"), HttpStatusCode.OK },
            { "/orders", Sas.Token("http://localhost/orders", Soon, "manager", "manager-key"), HttpStatusCode.OK },
            {
                "/orders",
                Sas.Token("http://localhost/ORDERS?api-version=2021-05", Soon, "manager", "manager-key"),
                HttpStatusCode.OK
            },
            {
                "/orders",
                Sas.Token("http://localhost/orders/north", Soon, "manager", "manager-key"),
                HttpStatusCode.Unauthorized
            },
            {
                "/orders",
                Sas.Token("http://localhost/orders", Soon, "listener", "listener-key"),
                HttpStatusCode.Unauthorized
            },
            { "/?queue=orders", null, HttpStatusCode.Unauthorized },
            { "/?queue=orders", Basic("sender:sender-key"), HttpStatusCode.Unauthorized },
            { "/?queue=orders", Basic(Listener), HttpStatusCode.OK },
            { "/?queue=orders", Basic(Manager), HttpStatusCode.OK },
        };

    [Theory, MemberData(nameof(Headers))]
    public async Task Reading_requires_Manage_and_peeking_requires_Listen(
        string path,
        string? authorization,
        HttpStatusCode status
    )
    {
        using var answer = await SendAsync(HttpMethod.Get, path, authorization);

        Assert.Equal(status, answer.StatusCode);
        Assert.Equal(status == HttpStatusCode.Unauthorized, answer.Headers.WwwAuthenticate.Count > 0);
    }

    [Theory]
    [InlineData("DELETE", "/orders/north")]
    [InlineData("PUT", "/another")]
    [InlineData("POST", "/orders/$purge")]
    [InlineData("GET", "/$Resources/queues")]
    [InlineData("GET", "/$namespaceinfo")]
    [InlineData("POST", "/")]
    public async Task Changes_without_a_token_are_rejected(string method, string path)
    {
        using var answer = await SendAsync(new HttpMethod(method), path, authorization: null);

        Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
        Assert.Contains("Manage", await answer.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        Assert.NotNull(_broker.Broker.Entities.Find("orders/north"));
    }

    [Theory]
    [InlineData(null, "mqtt", "400")]
    [InlineData("https://elsewhere.example", "AMQPWSB10", "403")]
    public async Task WebSocket_with_another_protocol_or_origin_is_rejected(
        string? origin,
        string protocol,
        string refusal
    )
    {
        using var socket = new ClientWebSocket();
        socket.Options.AddSubProtocol(protocol);
        if (origin is not null)
            socket.Options.SetRequestHeader("Origin", origin);
        var address = new UriBuilder(_broker.Broker.Address) { Scheme = "ws", Path = "/$servicebus/websocket/" }.Uri;

        var error = await Assert.ThrowsAsync<WebSocketException>(() => socket.ConnectAsync(address, Cancel));
        Assert.Contains(refusal, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/health/live", null, true)]
    [InlineData("/health/ready", null, true)]
    [InlineData("/health", null, false)]
    [InlineData("/metrics", null, false)]
    [InlineData("/$counters", null, false)]
    [InlineData("/$counters", "sender:sender-key", false)]
    [InlineData("/health", Listener, true)]
    [InlineData("/metrics", Listener, true)]
    [InlineData("/$counters", Listener, true)]
    public async Task Remote_callers_need_Listen_to_read_counters(string path, string? login, bool passes)
    {
        using var here = await SendAsync(HttpMethod.Get, path, authorization: null);

        Assert.Equal(HttpStatusCode.OK, here.StatusCode);
        Assert.Equal(passes, await PassesFromElsewhereAsync(ConfigFile.Load(_file.Path).Rules, path, login));
        // The well-known rule allows every caller to receive.
        Assert.True(await PassesFromElsewhereAsync([AccessRule.WellKnown], path, login: null));
    }

    [Fact]
    public async Task Page_of_a_rebound_host_name_cannot_drop_connections()
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri("/$connections/drop", UriKind.Relative));
        request.Headers.Host = "evil.example:5672";
        request.Headers.Add("Origin", "http://evil.example:5672");

        using var answer = await _http.SendAsync(request, Cancel);

        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
    }

    [Theory]
    [InlineData("localhost", HttpStatusCode.OK)]
    [InlineData("127.0.0.1:5672", HttpStatusCode.OK)]
    [InlineData("evil.example", HttpStatusCode.Forbidden)]
    public async Task Foreign_host_name_is_forbidden_when_tokens_are_optional(string host, HttpStatusCode status)
    {
        await using var open = await BrokerFixture.StartAsync(
            new LocalServiceBusOptions { Port = 0, RequireTokens = false },
            Cancel
        );
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(open.Broker.Address, "/delivery-requests"));
        request.Headers.Host = host;

        using var answer = await _http.SendAsync(request, Cancel);

        Assert.Equal(status, answer.StatusCode);
    }

    [Theory]
    [InlineData("east", null, HttpStatusCode.Unauthorized)]
    [InlineData("east", "east", HttpStatusCode.Unauthorized)]
    [InlineData("east", "orders/north", HttpStatusCode.OK)]
    [InlineData("east", "HOST", HttpStatusCode.OK)] // Like the JavaScript SDK, which signs the whole URL.
    [InlineData("", null, HttpStatusCode.OK)]
    public async Task Forwarding_requires_Manage_on_the_target_too(
        string path,
        string? otherPath,
        HttpStatusCode status
    )
    {
        _broker.CreateQueue(name: "east");
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri("/east", UriKind.Relative));
        request.Headers.TryAddWithoutValidation("Authorization", Token(path));
        if (otherPath is not null)
            request.Headers.TryAddWithoutValidation("ServiceBusSupplementaryAuthorization", Token(otherPath));
        request.Headers.TryAddWithoutValidation("If-Match", "*");
        request.Content = new StringContent(
            """
            <QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">
              <ForwardTo>orders/north</ForwardTo>
            </QueueDescription>
            """
        );
        using var answer = await _http.SendAsync(request, Cancel);

        Assert.Equal(status, answer.StatusCode);
        Assert.Equal(status == HttpStatusCode.OK, _broker.Broker.Entities.Get("east").Options.ForwardTo is not null);

        string Token(string path) =>
            Sas.Token(
                path == "HOST" ? _broker.Broker.Address.Authority : $"http://localhost/{path}",
                Soon,
                "manager",
                "manager-key"
            );
    }

    private protected override HttpClient CreateHttp() => new() { BaseAddress = _broker.Broker.Address };

    private async Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, string? authorization)
    {
        using var request = new HttpRequestMessage(method, new Uri(path, UriKind.Relative));
        if (authorization is not null)
            request.Headers.TryAddWithoutValidation("Authorization", authorization);
        return await _http.SendAsync(request, Cancel);
    }

    private static async Task<bool> PassesFromElsewhereAsync(
        IReadOnlyList<AccessRule> rules,
        string path,
        string? login
    )
    {
        await using var services = new ServiceCollection().AddLogging().BuildServiceProvider();
        var context = new DefaultHttpContext { RequestServices = services };
        context.Connection.RemoteIpAddress = IPAddress.Parse("192.0.2.1");
        (context.Request.Method, context.Request.Path) = ("GET", path);
        context.Request.Headers.Authorization = login is null ? default : Basic(login);
        var passes = false;
        await new HttpAccess(new AccessRules(rules, areRequired: true, TimeProvider.System)).InvokeAsync(context, _ =>
        {
            passes = true;
            return Task.CompletedTask;
        });
        return passes;
    }

    private static string Basic(string text) =>
        new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes(text))).ToString();
}
