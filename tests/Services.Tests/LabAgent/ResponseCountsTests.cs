using System.Text.Json;

namespace DroneDelivery.Services.Tests.LabAgent;

/// <summary>What a load test is told of the answers of a replica.</summary>
public sealed class ResponseCountsTests
{
    [Fact]
    public async Task Answers_of_the_API_are_counted_with_their_causes_and_no_others()
    {
        await using var service = await LabService.StartAsync();
        string[] paths =
            ["/api/work", "/api/missing", "/api/away", "/api/away", "/api/failure", "/other", "/health/live", "/$responses"];
        foreach (var path in paths)
            (await service.Client.SendAsync(HttpMethod.Get, path)).Dispose();

        var counts = await service.Client.GetAsync<JsonElement>("/$responses");

        Assert.Equal((5, 3), (counts.GetProperty("responses").GetInt32(), counts.GetProperty("serverErrors").GetInt32()));
        var cause = Assert.Single(counts.GetProperty("causes").EnumerateObject());
        Assert.Equal(("urn:test:away", 2), (cause.Name, cause.Value.GetInt32()));
    }
}
