using DroneDelivery.Package;

namespace DroneDelivery.Services.Tests.Package;

public sealed class BadInputTests : IDisposable
{
    private const string Ten = "xxxxxxxxxx", Long = Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + "x";

    private readonly ServiceOnSqlite<PackageStore> _service = new();

    private HttpClient Http => _service.Http;

    public void Dispose() => _service.Dispose();

    [Theory]
    [InlineData("""{"ownerId":"o","size":"Small","weight":0}""", "weight")]
    [InlineData("""{"ownerId":"o","size":1,"weight":1}""", "size")]
    [InlineData("""{"ownerId":"","size":"Small","weight":1}""", "ownerId")]
    [InlineData("""{"ownerId":"o o","size":"Small","weight":1}""", "ownerId")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":1,"tag":"\u0000"}""", "tag")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":1,"tag":"two\nlines"}""", "tag")]
    [InlineData("not JSON", "$")]
    [InlineData("null", "$")]
    public async Task The_field_that_is_wrong_is_named(string body, string field)
    {
        using var response = await Http.SendAsync(HttpMethod.Put, "/api/packages/p1", body);

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
    }

    [Theory]
    [InlineData("PATCH", "p1", """{"tag":"\u0000"}""", "tag")]
    [InlineData("PATCH", "p1", """{"wieght":9}""", "wieght")] // that nobody reads
    [InlineData("PATCH", "p1", $$"""{"tag":"{{Long}}"}""", "tag")]
    [InlineData("PUT", "p1", $$"""{"ownerId":"o","size":"Small","weight":1,"tag":"{{Long}}"}""", "tag")]
    [InlineData("GET", Long, null, "id")]
    public async Task A_change_and_an_id_are_checked_too(string method, string id, string? body, string field)
    {
        using var response = await Http.SendAsync(new HttpMethod(method), $"/api/packages/{id}", body);

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
    }
}
