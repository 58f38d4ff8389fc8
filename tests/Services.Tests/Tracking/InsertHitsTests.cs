using System.Net;
using DroneDelivery.Tracking.Writing;

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
    public async Task A_table_server_that_is_away_is_503_without_a_word_of_the_inside_and_found_again()
    {
        await using var tracking = await TrackingUnderTest.StartAsync();
        (await tracking.HitAsync("hits", "user")).Dispose();
        // Each answer has an end of its own, which a first connection may miss on a busy machine.
        await Eventually.TrueAsync(async () => await tracking.Http.CheckAsync("table") == ("Healthy", null));
        await tracking.Azurite.StopAsync();

        using var response = await tracking.HitAsync("hits", "user");

        var problem = await response.ReadProblemAsync(HttpStatusCode.ServiceUnavailable);
        Assert.NotNull(response.Headers.RetryAfter);
        Assert.Equal("urn:drone-delivery:table-unavailable", problem.GetProperty("type").GetString());
        Assert.DoesNotContain("127.0.0.1", problem.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("devstoreaccount1", problem.ToString(), StringComparison.Ordinal);
        Assert.Equal(1, (await tracking.CountersAsync()).Answered);
        var (status, description) = await tracking.Http.CheckAsync("table");
        Assert.Equal("Degraded", status);
        Assert.DoesNotContain("127.0.0.1", description, StringComparison.Ordinal);

        await tracking.Azurite.StartServerAsync(); // without its tables
        await Eventually.TrueAsync(async () => (await tracking.HitAsync("hits", "user")).StatusCode == HttpStatusCode.OK);
        Assert.Equal(1, await tracking.CountAsync("hits"));
    }
}
