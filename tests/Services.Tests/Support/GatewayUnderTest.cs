using DroneDelivery.Gateway.Admission;
using DroneDelivery.Gateway.Forwarding;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class GatewayUnderTest : IAsyncDisposable
{
    public const string Key = "a-key-of-the-tests";

    private readonly ServiceHost<ForwardingFailures> _host;

    private GatewayUnderTest(FakeReplica backend, ServiceHost<ForwardingFailures> host) =>
        (Backend, _host) = (backend, host);

    public FakeReplica Backend { get; }

    public HttpClient Http => _host.Http;

    public Uri Address => _host.Address;

    public RecordedLogs Logs => _host.Logs;

    /// <summary>
    /// Returns a route without a required key unless <paramref name="more"/> sets <c>("AuthorizationPolicy", "")</c>.
    /// </summary>
    public static Dictionary<string, string?> Route(
        string method,
        string path,
        params (string Name, string Value)[] more
    ) =>
        new[]
        {
            ("Match:Methods:0", method),
            ("Match:Path", path),
            ("ClusterId", "ingestion"),
            ("AuthorizationPolicy", "Anonymous"),
        }
            .Concat(more)
            .ToLookup(
                setting => $"ReverseProxy:Routes:{method} {path.Replace('/', '-')}:{setting.Item1}",
                setting => setting.Item2
            )
            .ToDictionary(setting => setting.Key, setting => (string?)setting.Last());

    public static async Task<GatewayUnderTest> StartAsync(Dictionary<string, string?> settings)
    {
        var backend = await FakeReplica.StartAsync();
        var all = new Dictionary<string, string?> { ["Gateway:Keys:test"] = Key, [Replica(0)] = backend.Address };
        return new(backend, ServiceHost<ForwardingFailures>.Start(all.And(settings)));
    }

    public static string Replica(int number) => $"ReverseProxy:Clusters:ingestion:Destinations:{number}:Address";

    public Task<HttpResponseMessage> GetAsync(string path, params string[] keys) =>
        SendAsync(HttpMethod.Get, path, null, keys);

    public Task<HttpResponseMessage> SendAsync(
        HttpMethod method,
        string path,
        HttpContent? body,
        params string[] keys
    ) => Http.SendAsync(method, path, body, keys.Select(key => (SubscriptionKeys.Header, key)));

    public async ValueTask DisposeAsync()
    {
        await _host.DisposeAsync();
        await Backend.DisposeAsync();
    }
}
