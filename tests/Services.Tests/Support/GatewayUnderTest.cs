using DroneDelivery.Gateway.Forwarding;
using DroneDelivery.Gateway.Policies;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>The gateway on Kestrel, in front of a fake of Ingestion.</summary>
internal sealed class GatewayUnderTest : IAsyncDisposable
{
    public const string Key = "a-key-of-the-tests";

    private readonly ServiceHost<ForwardRequest> _host;

    private GatewayUnderTest(FakeIngestion backend, ServiceHost<ForwardRequest> host)
    {
        Backend = backend;
        _host = host;
        Http = host.CreateClient();
    }

    public FakeIngestion Backend { get; }

    /// <summary>Sends no key by itself.</summary>
    public HttpClient Http { get; }

    public Uri Address => _host.Address;

    public RecordedLogs Logs => _host.Logs;

    /// <summary>A route that forwards, with nothing else unless <paramref name="more"/> says so: <c>("RequireKey", "true")</c>.</summary>
    public static Dictionary<string, string?> Route(string method, string path, params (string Name, string Value)[] more) =>
        RouteAt(0, method, path, [("Forward", "true"), .. more]);

    public static Dictionary<string, string?> RouteAt(int index, string method, string path, params (string Name, string Value)[] more) =>
        new[] { (Name: "Method", Value: method), (Name: "Path", Value: path) }
            .Concat(more)
            .ToDictionary(setting => $"Gateway:Routes:{index}:{setting.Name}", setting => (string?)setting.Value);

    /// <param name="settings">Routes among them; none: those of the file beside the gateway.</param>
    /// <param name="document">Ingestion's.</param>
    /// <param name="time">Of time-outs.</param>
    public static async Task<GatewayUnderTest> StartAsync(
        Dictionary<string, string?> settings, string? document = null, TimeProvider? time = null)
    {
        var backend = await FakeIngestion.StartAsync(document);
        var all = new Dictionary<string, string?>
        {
            ["Gateway:Keys:test"] = Key,
            ["Services:ingestion:0"] = backend.Address.ToString(),
        };
        return new(backend, ServiceHost<ForwardRequest>.Start(all.And(settings), time: time));
    }

    /// <summary>Once its schemas are there.</summary>
    public async Task ReadyAsync() => await Eventually.TrueAsync(async () =>
    {
        using var answer = await Http.GetAsync(new Uri("/health/ready", UriKind.Relative), TestContext.Current.CancellationToken);
        return answer.IsSuccessStatusCode;
    });

    public Task<HttpResponseMessage> SendWithKeyAsync(HttpMethod method, string path, HttpContent? body = null) =>
        Http.SendAsync(
            new HttpRequestMessage(method, path) { Content = body, Headers = { { RequireKey.Header, Key } } },
            TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await _host.DisposeAsync();
        await Backend.DisposeAsync();
    }
}
