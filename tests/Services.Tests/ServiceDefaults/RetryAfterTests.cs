using System.Net;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>When a client may try again if a dependency is away.</summary>
public sealed class RetryAfterTests
{
    [Theory]
    [InlineData(0, "1")] // a client that takes 0 at its word would not wait at all
    [InlineData(400, "1")]
    [InlineData(1_001, "2")]
    [InlineData(5_000, "5")]
    public async Task It_is_in_whole_seconds_and_at_least_one(int milliseconds, string header)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.AddServiceDefaults("test");
        builder.Logging.ClearProviders();
        await using var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        app.MapServiceDefaults();
        app.MapApi("/api").MapGet("/away", IResult () => throw new DependencyUnavailableException(
            "urn:test:away", "Away", "The store does not answer.", TimeSpan.FromMilliseconds(milliseconds)));
        await app.StartAsync(TestContext.Current.CancellationToken);
        using var http = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };

        using var response = await http.SendAsync(HttpMethod.Get, "/api/away");

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.Equal(header, response.Headers.GetValues("Retry-After").Single());
    }
}
