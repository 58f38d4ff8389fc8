using System.Net;
using DroneDelivery.Package;

namespace DroneDelivery.Services.Tests.Package;

/// <summary>What every service answers to bad input, shown on the smallest one.</summary>
public sealed class BadInputTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ServiceHost<PackageStore> _service;
    private readonly HttpClient _http;

    public BadInputTests()
    {
        _service = ServiceHost<PackageStore>.Start(_folder.SqliteSettings);
        _http = _service.CreateClient();
    }

    [Theory]
    [InlineData("""{"ownerId":"o","size":"Small","weight":-1}""", "weight")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":0}""", "weight")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":1e999}""", "weight")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":"1"}""", "weight")]
    [InlineData("""{"ownerId":"o","size":"Small"}""", "weight")]
    [InlineData("""{"ownerId":"o","size":"Huge","weight":1}""", "size")]
    [InlineData("""{"ownerId":"o","size":1,"weight":1}""", "size")]
    [InlineData("""{"size":"Small","weight":1}""", "ownerId")]
    [InlineData("""{"ownerId":null,"size":"Small","weight":1}""", "ownerId")]
    [InlineData("""{"ownerId":"","size":"Small","weight":1}""", "ownerId")]
    [InlineData("""{"ownerId":"o o","size":"Small","weight":1}""", "ownerId")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":1,"tag":"\u0000"}""", "tag")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":1,"tag":"two\nlines"}""", "tag")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":1""", "weight")]
    [InlineData("not JSON", "$")]
    [InlineData("\"text\"", "$")]
    [InlineData("null", "$")]
    [InlineData("", "$")]
    public async Task The_field_that_is_wrong_is_named(string body, string field)
    {
        using var response = await _http.SendAsync(HttpMethod.Put, "/api/packages/p1", body);

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task Every_field_that_is_wrong_is_named_at_once()
    {
        using var missing = await _http.SendAsync(HttpMethod.Put, "/api/packages/p1", "{}");
        using var outOfRange = await _http.SendAsync(HttpMethod.Put, "/api/packages/p1", """{"ownerId":"?","size":"Small","weight":-1}""");

        Assert.Equal(["ownerId", "size", "weight"], (await missing.ReadInvalidFieldsAsync()).Order());
        Assert.Equal(["ownerId", "weight"], (await outOfRange.ReadInvalidFieldsAsync()).Order());
    }

    [Fact]
    public async Task An_oversized_field_is_named()
    {
        var tag = new string('x', 101);

        using var response = await _http.SendAsync(
            HttpMethod.Put, "/api/packages/p1", $$"""{"ownerId":"o","size":"Small","weight":1,"tag":"{{tag}}"}""");

        Assert.Equal(["tag"], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task A_control_character_in_a_PATCH_is_named()
    {
        using var response = await _http.SendAsync(HttpMethod.Patch, "/api/packages/p1", """{"tag":"\u0000"}""");

        Assert.Equal(["tag"], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task A_member_of_a_PATCH_that_nobody_reads_is_named()
    {
        using var response = await _http.SendAsync(HttpMethod.Patch, "/api/packages/p1", """{"wieght":9}""");

        Assert.Equal(["wieght"], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task An_oversized_id_is_named()
    {
        using var response = await _http.SendAsync(HttpMethod.Get, $"/api/packages/{new string('x', 65)}");

        Assert.Equal(["id"], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task A_body_of_2_MiB_is_too_large()
    {
        using var response = await _http.SendAsync(HttpMethod.Put, "/api/packages/p1", new string(' ', 2 * 1024 * 1024));

        await response.ReadProblemAsync(HttpStatusCode.RequestEntityTooLarge);
    }

    [Fact]
    public async Task A_wrong_verb_is_not_allowed()
    {
        using var response = await _http.SendAsync(HttpMethod.Post, "/api/packages/p1", "{}");

        await response.ReadProblemAsync(HttpStatusCode.MethodNotAllowed);
    }

    [Fact]
    public async Task A_route_that_does_not_exist_is_not_found()
    {
        using var response = await _http.SendAsync(HttpMethod.Get, "/api/parcels/p1");

        await response.ReadProblemAsync(HttpStatusCode.NotFound);
    }

    [Fact]
    public async Task A_body_that_is_not_declared_as_JSON_is_not_supported()
    {
        using var response = await _http.SendAsync(HttpMethod.Put, "/api/packages/p1", "{}", "text/plain");

        await response.ReadProblemAsync(HttpStatusCode.UnsupportedMediaType);
    }

    public void Dispose()
    {
        _http.Dispose();
        _service.Dispose();
        _folder.Dispose();
    }
}
