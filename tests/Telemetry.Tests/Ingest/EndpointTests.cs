using System.IO.Compression;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Http.Json;

namespace DroneDelivery.Telemetry.Tests.Ingest;

public sealed class EndpointTests : IAsyncLifetime
{
    private readonly HttpClient _client = new();
    private Collector _collector = null!;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => _collector = await Collector.StartAsync();

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        await _collector.DisposeAsync();
    }

    [Theory]
    [InlineData("v2/track")]
    [InlineData("v2.1/track")]
    [InlineData("/v2.1/track")]
    public async Task Paths_of_all_SDKs_are_served(string path)
    {
        using var response = await PostAsync(Items.Body(Items.Dependency()), path);

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(
            """{"itemsReceived":1,"itemsAccepted":1,"errors":[]}""",
            await response.Content.ReadAsStringAsync(Cancel)
        );
    }

    [Fact]
    public async Task Other_paths_return_404()
    {
        using var response = await PostAsync(Items.Body(Items.Dependency()), "/v3/track");
        using var id = await _client.GetAsync(new Uri(_collector.Address, "api/profiles/8c8d3f5e/appId"), Cancel);

        Assert.Equal((HttpStatusCode.NotFound, HttpStatusCode.NotFound), (response.StatusCode, id.StatusCode));
        Assert.Equal(0, _collector.Store.Counts.Received);
    }

    [Fact]
    public async Task Partial_success_names_the_failed_items()
    {
        using var response = await PostAsync(Items.Body(Items.Dependency(), "{}", Items.Dependency()));
        using var none = await PostAsync(Items.Body("{}"));

        Assert.Contains("time", await ErrorOfTheSecondAsync(response));
        Assert.Equal(HttpStatusCode.BadRequest, none.StatusCode);
    }

    [Fact]
    public async Task Exception_that_is_not_UTF_8_is_rejected_alone()
    {
        var body = Items
            .Body(Items.Exception("first", "1"), Items.Exception("bad?", "2"), Items.Exception("last", "3"))
            .ToArray();
        body[Array.IndexOf(body, (byte)'?')] = 0xFF;

        using var response = await PostAsync(body);

        await ErrorOfTheSecondAsync(response);
        var counts = _collector.Store.Counts;
        Assert.Equal((3L, 2L, 1L), (counts.Received, counts.Kept, counts.Refused[RefusalReason.Malformed]));
        Assert.Equal(
            ["1 first", "3 last"],
            Rows.Of(_collector.Store.Snapshot(), "exceptions").Select(row => $"{row["operation_Id"]} {row["message"]}")
        );
    }

    [Fact]
    public async Task Items_from_before_the_run_are_ignored_without_an_error()
    {
        _collector.Store.BeginAt(Items.Noon.AddHours(1));

        using var response = await PostAsync(Items.Body(Items.Dependency(), Items.Dependency()));

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        var answer = await response.Content.ReadFromJsonAsync<JsonElement>(Cancel);
        Assert.Equal(
            (2, 0),
            (answer.GetProperty("itemsAccepted").GetInt32(), answer.GetProperty("errors").GetArrayLength())
        );
        Assert.Equal(
            (0L, 2L),
            (_collector.Store.Counts.Kept, _collector.Store.Counts.Refused[RefusalReason.BeforeTheRun])
        );
    }

    [Fact]
    public async Task Upload_that_inflates_beyond_the_limit_is_rejected()
    {
        // 65 MB of spaces in 64 KB of gzip.
        var spaces = Enumerable.Repeat((byte)' ', TelemetryIngestion.MaxUploadBytes + (1 << 20)).ToArray();
        using var packed = new MemoryStream();
        await using (var gzip = new GZipStream(packed, CompressionLevel.Fastest))
            await gzip.WriteAsync(spaces, Cancel);
        using var response = await PostAsync(packed.ToArray(), encoding: "gzip");

        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, response.StatusCode);
        Assert.Equal(1, _collector.Store.Counts.UploadsRefused);
    }

    [Theory]
    [InlineData("gzip", HttpStatusCode.BadRequest)]
    [InlineData("br", HttpStatusCode.UnsupportedMediaType)]
    public async Task Upload_that_cannot_be_unpacked_is_rejected_and_counted(string encoding, HttpStatusCode status)
    {
        using var response = await PostAsync(Items.Body(Items.Dependency()), encoding: encoding);

        Assert.Equal(status, response.StatusCode);
        Assert.Equal(1, _collector.Store.Counts.UploadsRefused);
    }

    [Fact]
    public async Task Call_to_the_collector_itself_is_ignored_without_an_error()
    {
        var address = new UriBuilder(_collector.Address) { Host = "LOCALHOST" }.Uri;
        var body = Items.Body(Items.Dependency(target: $"LocalHost:{address.Port}"), Items.Dependency());
        using var response = await PostAsync(body, address: address);

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(
            (1, 1),
            (_collector.Store.Counts.Kept, _collector.Store.Counts.Refused[RefusalReason.CollectorCall])
        );
    }

    private static async Task<string> ErrorOfTheSecondAsync(HttpResponseMessage response)
    {
        Assert.Equal(HttpStatusCode.PartialContent, response.StatusCode);
        var answer = await response.Content.ReadFromJsonAsync<JsonElement>(Cancel);
        Assert.Equal(
            (3, 2),
            (answer.GetProperty("itemsReceived").GetInt32(), answer.GetProperty("itemsAccepted").GetInt32())
        );
        var error = Assert.Single(answer.GetProperty("errors").EnumerateArray());
        Assert.Equal((1, 400), (error.GetProperty("index").GetInt32(), error.GetProperty("statusCode").GetInt32()));
        return error.GetProperty("message").GetString()!;
    }

    private async Task<HttpResponseMessage> PostAsync(
        ReadOnlyMemory<byte> body,
        string path = "v2/track",
        string? encoding = null,
        Uri? address = null
    )
    {
        using var content = new ReadOnlyMemoryContent(body);
        content.Headers.ContentType = new MediaTypeHeaderValue("application/x-json-stream");
        if (encoding is not null)
            content.Headers.ContentEncoding.Add(encoding);
        return await _client.PostAsync(new Uri((address ?? _collector.Address) + path), content, Cancel);
    }
}
