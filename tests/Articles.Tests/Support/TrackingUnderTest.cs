using System.Net.Http.Json;
using DroneDelivery.Tracking;
using DroneDelivery.Tracking.Writing;

namespace DroneDelivery.Articles.Tests.Support;

internal sealed class TrackingUnderTest : IAsyncDisposable
{
    private readonly ServiceHost<Hit> _service;

    private TrackingUnderTest(AzuriteFixture azurite, Dictionary<string, string?> settings)
    {
        Azurite = azurite;
        _service = ServiceHost<Hit>.Start(Settings(azurite, settings));
        // Requests have no cookie unless a test sends one.
        Http = new HttpClient(new SocketsHttpHandler { UseCookies = false }) { BaseAddress = _service.Address };
    }

    public AzuriteFixture Azurite { get; }

    public HttpClient Http { get; }

    public RecordedLogs Logs => _service.Logs;

    public static Dictionary<string, string?> Settings(AzuriteFixture azurite, Dictionary<string, string?> settings) =>
        new Dictionary<string, string?>
        {
            ["Tracking:ConnectionString"] = azurite.ConnectionString,
            ["Tracking:OperationTimeout"] = "00:01:00", // Long enough for a busy machine.
            ["Tracking:RoomTimeout"] = "00:01:00",
        }.And(settings);

    public static async Task<TrackingUnderTest> StartAsync(
        string writer = "Insert",
        Dictionary<string, string?>? settings = null
    )
    {
        Assert.SkipUnless(AzuriteFixture.IsInstalled, AzuriteFixture.HowToInstall);
        var azurite = await AzuriteFixture.StartAsync();
        return new(azurite, (settings ?? []).And("Tracking:Writer", writer));
    }

    public Task<HttpResponseMessage> HitAsync(string table, string account, string? cookie = null) =>
        HitAsync(Http, $"/track/{table}?account={Uri.EscapeDataString(account)}", cookie);

    public static Task<HttpResponseMessage> HitAsync(HttpClient http, string url, string? cookie = null) =>
        http.SendAsync(HttpMethod.Get, url, null, cookie is null ? [] : [("Cookie", $"trackingId={cookie}")]);

    public Task<int> CountAsync(string table) => CountAsync(Azurite, table);

    public static Task<int> CountAsync(AzuriteFixture azurite, string table) =>
        TrackingPixel.Azurite.CountAsync(azurite.Port, table, Cancelled);

    public async Task<IReadOnlyList<(string Account, string Tracker)>> StoredAsync(string table)
    {
        string[] columns = ["PartitionKey", "Tracker"];
        var hits = await TrackingPixel.Azurite.ReadAsync(Azurite.Port, table, columns, Cancelled);
        return [.. hits.Select(hit => (hit.PartitionKey, hit.GetString("Tracker")))];
    }

    public async Task<HitCounts> CountersAsync() =>
        (await Http.GetFromJsonAsync<HitCounts>(new Uri("/track/counters", UriKind.Relative), Cancelled))!;

    public ValueTask StopServiceAsync() => _service.DisposeAsync();

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await StopServiceAsync();
        await Azurite.DisposeAsync();
    }
}
