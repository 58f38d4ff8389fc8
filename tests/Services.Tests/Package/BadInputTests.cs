namespace DroneDelivery.Services.Tests.Package;

public sealed class BadInputTests : WithPackages
{
    private const string Ten = "xxxxxxxxxx",
        Long = Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + "x";

    [Theory]
    [InlineData("PUT", "p1", """{"ownerId":"o","size":"Small","weight":0}""", "weight")]
    [InlineData("PUT", "p1", """{"ownerId":"o","size":1,"weight":1}""", "size")]
    [InlineData("PUT", "p1", """{"ownerId":"o","size":"small","weight":1}""", "size")]
    [InlineData("PATCH", "p1", """{"tag":null}""", "tag")]
    [InlineData("PATCH", "p1", """{"weight":1,"size":null}""", "size")]
    [InlineData("PATCH", "p1", """{"weight":null}""", "weight")]
    [InlineData("PUT", "p1", """{"ownerId":"","size":"Small","weight":1}""", "ownerId")]
    [InlineData("PUT", "p1", """{"ownerId":"o o","size":"Small","weight":1}""", "ownerId")]
    [InlineData("PUT", "p1", """{"ownerId":"o","size":"Small","weight":1,"tag":"\u0000"}""", "tag")]
    [InlineData("PUT", "p1", """{"ownerId":"o","size":"Small","weight":1,"tag":"two\nlines"}""", "tag")]
    [InlineData("PUT", "p1", "not JSON", "$")]
    [InlineData("PUT", "p1", "null", "$")]
    [InlineData("PATCH", "p1", """{"tag":"\u0000"}""", "tag")]
    [InlineData("PATCH", "p1", """{"wieght":9}""", "wieght")] // An unknown property.
    [InlineData("PATCH", "p1", $$"""{"tag":"{{Long}}"}""", "tag")]
    [InlineData("PUT", "p1", $$"""{"ownerId":"o","size":"Small","weight":1,"tag":"{{Long}}"}""", "tag")]
    [InlineData("GET", Long, null, "id")]
    public async Task Invalid_field_is_named(string method, string id, string? body, string field)
    {
        using var response = await Http.SendAsync(new HttpMethod(method), $"/api/packages/{id}", body);

        Assert.Equal([field], await response.ReadInvalidFieldsAsync());
    }
}
