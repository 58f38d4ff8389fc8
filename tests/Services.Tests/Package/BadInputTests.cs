using System.Net;
using DroneDelivery.Package;

namespace DroneDelivery.Services.Tests.Package;

/// <summary>What a package may not be, and what every service answers to a wrong id or verb.</summary>
public sealed class BadInputTests : IDisposable
{
    private readonly ServiceOnSqlite<PackageStore> _service = new();

    private HttpClient Http => _service.Http;

    public void Dispose() => _service.Dispose();

    [Theory]
    [InlineData("""{"ownerId":"o","size":"Small","weight":-1}""", "weight")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":0}""", "weight")]
    [InlineData("""{"ownerId":"o","size":"Small"}""", "weight")]
    [InlineData("""{"ownerId":"o","size":"Huge","weight":1}""", "size")]
    [InlineData("""{"ownerId":"o","size":1,"weight":1}""", "size")]
    [InlineData("""{"size":"Small","weight":1}""", "ownerId")]
    [InlineData("""{"ownerId":null,"size":"Small","weight":1}""", "ownerId")]
    [InlineData("""{"ownerId":"","size":"Small","weight":1}""", "ownerId")]
    [InlineData("""{"ownerId":"o o","size":"Small","weight":1}""", "ownerId")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":1,"tag":"\u0000"}""", "tag")]
    [InlineData("""{"ownerId":"o","size":"Small","weight":1,"tag":"two\nlines"}""", "tag")]
    [InlineData("not JSON", "$")]
    [InlineData("\"text\"", "$")]
    [InlineData("null", "$")]
    [InlineData("", "$")]
    public async Task The_field_that_is_wrong_is_named(string body, string field)
    {
        using var response = await Http.SendAsync(HttpMethod.Put, "/api/packages/p1", body);

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task An_oversized_field_is_named()
    {
        var tag = new string('x', 101);

        using var response = await Http.SendAsync(
            HttpMethod.Put, "/api/packages/p1", $$"""{"ownerId":"o","size":"Small","weight":1,"tag":"{{tag}}"}""");

        Assert.Equal(["tag"], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task A_control_character_in_a_PATCH_is_named()
    {
        using var response = await Http.SendAsync(HttpMethod.Patch, "/api/packages/p1", """{"tag":"\u0000"}""");

        Assert.Equal(["tag"], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task A_member_of_a_PATCH_that_nobody_reads_is_named()
    {
        using var response = await Http.SendAsync(HttpMethod.Patch, "/api/packages/p1", """{"wieght":9}""");

        Assert.Equal(["wieght"], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task An_oversized_id_is_named()
    {
        using var response = await Http.SendAsync(HttpMethod.Get, $"/api/packages/{new string('x', 65)}");

        Assert.Equal(["id"], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task A_wrong_verb_is_not_allowed()
    {
        using var response = await Http.SendAsync(HttpMethod.Post, "/api/packages/p1", "{}");

        await response.ReadProblemAsync(HttpStatusCode.MethodNotAllowed);
    }
}
