using System.Text.Json;
using DroneDelivery.LabAgent;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.LabAgent;

/// <summary>What a load test is told of the answers of a replica.</summary>
public sealed class ResponseCountsTests
{
    [Fact]
    public async Task Answers_of_the_API_are_counted_with_their_causes_and_no_others()
    {
        await using var app = await StartAsync();
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
        string[] paths =
            ["/api/ok", "/api/missing", "/api/away", "/api/away", "/api/broken", "/other", "/health/live", "/$responses"];
        foreach (var path in paths)
            (await http.SendAsync(HttpMethod.Get, path)).Dispose();

        var counts = await http.GetAsync<JsonElement>("/$responses");

        Assert.Equal((5, 3), (counts.GetProperty("responses").GetInt32(), counts.GetProperty("serverErrors").GetInt32()));
        var cause = Assert.Single(counts.GetProperty("causes").EnumerateObject());
        Assert.Equal(("urn:test:away", 2), (cause.Name, cause.Value.GetInt32()));
    }

    private static async Task<WebApplication> StartAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.AddServiceDefaults("test");
        builder.Services.AddLab();
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        app.MapServiceDefaults();
        var api = app.MapApi("/api");
        api.MapGet("/ok", () => TypedResults.Ok());
        api.MapGet("/missing", () => TypedResults.NotFound());
        api.MapGet("/away", IResult () => throw new DependencyUnavailableException(
            "urn:test:away", "Away", "The store does not answer.", TimeSpan.FromSeconds(1)));
        api.MapGet("/broken", IResult () => throw new InvalidOperationException("secret"));
        app.MapGet("/other", () => TypedResults.Ok());
        await app.StartAsync(TestContext.Current.CancellationToken);
        return app;
    }
}
