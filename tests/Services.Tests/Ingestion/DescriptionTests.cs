using System.Text.Json;

namespace DroneDelivery.Services.Tests.Ingestion;

public sealed class DescriptionTests
{
    [Theory]
    [InlineData("/api/deliveryrequests", "post", "202 400 401 403 429 503 504")]
    [InlineData("/api/deliveryrequests/{id}", "get", "200 202 400 401 403 404 409 429 503 504")]
    [InlineData("/api/deliveryrequests/{id}", "patch", "202 400 401 403 404 409 429 503 504")]
    [InlineData("/api/deliveryrequests/{id}", "delete", "202 400 401 403 404 409 429 503 504")]
    public async Task Ingestion_describes_its_routes_and_answers(string route, string verb, string answers)
    {
        await using var ingestion = await IngestionUnderTest.StartAsync();

        var document = await ingestion.Http.GetAsync<JsonElement>("/openapi/v1.json");

        var responses = document.GetProperty("paths").GetProperty(route).GetProperty(verb).GetProperty("responses");
        var described = responses.EnumerateObject().Select(answer => answer.Name);
        Assert.Equal(answers, string.Join(" ", described.Order()));
    }
}
