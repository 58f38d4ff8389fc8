namespace DroneDelivery.Lab.Tests.Telemetry;

public sealed class CollectorTrustTests : IAsyncLifetime
{
    private readonly string _folder = Directory.CreateTempSubdirectory("lab-test").FullName;
    private readonly HttpClient _http = Loopback.CreateClient();
    private TelemetryCollector _collector = null!;

    public async ValueTask InitializeAsync() =>
        _collector = await TelemetryCollector.StartAsync(_folder, 0, TimeProvider.System, Cancel);

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _collector.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Upload_requires_the_key_of_the_connection_string()
    {
        await using var other = await TelemetryCollector.StartAsync(
            Path.Combine(_folder, "other"),
            0,
            TimeProvider.System,
            Cancel
        );
        using var refused = await UploadAsync(TelemetryCollector.SharedKey);
        using var taken = await UploadAsync(Key);

        Assert.Equal(
            (HttpStatusCode.BadRequest, HttpStatusCode.OK, 1),
            (refused.StatusCode, taken.StatusCode, _collector.Counts.Kept)
        );
        Assert.NotEqual(_collector.ConnectionString.Split(';')[0], other.ConnectionString.Split(';')[0]);
        Assert.DoesNotContain(Key, await refused.Content.ReadAsStringAsync(Cancel), StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    [InlineData("Origin", "http://elsewhere.test")]
    [InlineData("Sec-Fetch-Site", "cross-site")]
    [InlineData("Host", "elsewhere.test")]
    public async Task Pages_of_other_sites_can_neither_write_nor_read(string header, string value)
    {
        using var upload = await UploadAsync(Key, header, value);
        using var download = new HttpRequestMessage(
            HttpMethod.Get,
            new Uri(_collector.Address, TelemetryCollector.FileName)
        );
        download.Headers.Add(header, value);
        using var file = await _http.SendAsync(download, Cancel);

        Assert.Equal((HttpStatusCode.Forbidden, HttpStatusCode.Forbidden), (upload.StatusCode, file.StatusCode));
        Assert.Equal(0, _collector.Counts.Received);
    }

    private string Key => _collector.ConnectionString.Split(';')[0].Split('=')[1];

    private async Task<HttpResponseMessage> UploadAsync(string key, string? header = null, string? value = null)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(_collector.Address, "v2/track"))
        {
            Content = JsonContent.Create(
                new
                {
                    time = TimeProvider.System.GetUtcNow().AddMinutes(1),
                    iKey = key,
                    data = new { baseType = "EventData", baseData = new { name = "e" } },
                }
            ),
        };
        if (header is not null)
            request.Headers.Add(header, value);
        return await _http.SendAsync(request, Cancel);
    }
}
