using System.Net;
using System.Net.Http.Json;
using DroneDelivery.Tracking.Writing;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Services.Tests.Tracking;

/// <summary>Who is answered is stored, and who is not is told so.</summary>
public sealed class InsertHitsTests
{
    [Fact]
    public async Task Whoever_is_answered_is_in_the_table()
    {
        await using var tracking = await TrackingUnderTest.StartAsync();

        for (var i = 0; i < 20; i++)
        {
            using var response = await tracking.HitAsync("hits", $"user{i % 3}");
            Assert.Equal(i + 1, await tracking.CountAsync("hits"));
        }

        Assert.Equal(new HitCounts(Answered: 20, Stored: 20, Lost: 0, Waiting: 0), await tracking.CountersAsync());
    }

    [Fact]
    public async Task A_table_server_that_is_away_is_503_and_says_nothing_of_the_inside()
    {
        await using var tracking = await TrackingUnderTest.StartAsync();
        using (await tracking.HitAsync("hits", "user"))
            await tracking.Azurite.StopAsync();

        using var response = await tracking.HitAsync("hits", "user");

        Assert.Equal(HttpStatusCode.ServiceUnavailable, response.StatusCode);
        Assert.NotNull(response.Headers.RetryAfter);
        var body = await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken);
        var problem = await response.Content.ReadFromJsonAsync<ProblemDetails>(TestContext.Current.CancellationToken);
        Assert.Equal("urn:drone-delivery:table-unavailable", problem!.Type);
        Assert.DoesNotContain("127.0.0.1", body, StringComparison.Ordinal);
        Assert.DoesNotContain("devstoreaccount1", body, StringComparison.Ordinal);
        Assert.Equal(1, (await tracking.CountersAsync()).Answered);
    }

    [Fact]
    public async Task It_works_again_when_the_table_server_is_back_without_its_tables()
    {
        await using var tracking = await TrackingUnderTest.StartAsync();
        using (await tracking.HitAsync("hits", "user"))
            await tracking.Azurite.StopAsync();
        using (await tracking.HitAsync("hits", "user"))
            await tracking.Azurite.StartServerAsync();

        await Eventually.TrueAsync(async () =>
        {
            using var response = await tracking.HitAsync("hits", "user");
            return response.StatusCode == HttpStatusCode.OK;
        });

        Assert.Equal(1, await tracking.CountAsync("hits"));
    }

    [Fact]
    public async Task It_is_ready_when_the_table_server_has_answered_once()
    {
        await using var tracking = await TrackingUnderTest.StartAsync();

        // Each answer has an end of its own, which a first connection may miss on a busy machine.
        await tracking.Http.ReadyAsync();
        await Eventually.TrueAsync(async () =>
            (await ReadyAsync(tracking)).Contains("\"table\":{\"status\":\"Healthy\"", StringComparison.Ordinal));
        await tracking.Azurite.StopAsync();
        var degraded = await ReadyAsync(tracking);

        Assert.Contains("\"table\":{\"status\":\"Degraded\"", degraded, StringComparison.Ordinal);
        Assert.DoesNotContain("127.0.0.1", degraded, StringComparison.Ordinal);
    }

    private static Task<string> ReadyAsync(TrackingUnderTest tracking) =>
        tracking.Http.GetStringAsync(new Uri("/health/ready", UriKind.Relative), TestContext.Current.CancellationToken);
}
