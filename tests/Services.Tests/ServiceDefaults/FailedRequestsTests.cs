using DroneDelivery.ServiceDefaults.Resilience;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>A service that fails every request is told from requests that fail alone.</summary>
public sealed class FailedRequestsTests
{
    private const int Many = 4;

    private readonly FailedRequests _failed = new();

    [Fact]
    public void Requests_count_once_each_and_from_the_last_success_on()
    {
        Assert.Equal([1, 1, 2], new[] { "a", "a", "b" }.Select(_failed.Add));
        _failed.Succeeded();
        Assert.Equal([1, 2], new[] { "c", "a" }.Select(_failed.Add));
        _failed.Forget();
        Assert.Equal(1, _failed.Add("d"));
    }

    [Fact]
    public void A_request_that_fails_again_after_two_successes_of_others_counts_no_more()
    {
        _failed.Add("bad");
        _failed.Succeeded();
        Assert.Equal(1, _failed.Add("bad"));
        _failed.Succeeded();

        Assert.Equal(0, _failed.Add("bad"));
        Assert.Equal(1, _failed.Add("another"));
    }

    [Fact]
    public void Failures_of_a_time_when_the_service_was_away_make_no_request_a_bad_one()
    {
        for (var outage = 0; outage < 3; outage++)
        {
            Assert.Equal(1, _failed.Add("good"));
            _failed.Forget();
        }
    }

    /// <summary>
    /// Any number of bad requests, in any order. Each counts in two outages at most, and it takes many of them to look like one.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Bad_requests_between_good_ones_look_like_an_outage_only_a_few_times(int seed)
    {
        var random = new Random(seed);
        for (var game = 0; game < 200; game++)
        {
            var failed = new FailedRequests();
            var bad = random.Next(1, 20);
            var (outages, isOutage) = (0, false);
            for (var step = 0; step < 500; step++)
            {
                if (random.Next(bad + 1) == 0)
                {
                    // Before a success they fail one after the other until receiving is held.
                    outages += Enumerable.Range(0, bad).Any(i => failed.Add($"bad-{i}") >= Many) || isOutage ? 1 : 0;
                    isOutage = false;
                    failed.Succeeded();
                }
                else
                {
                    isOutage |= failed.Add($"bad-{random.Next(bad)}") >= Many;
                }
            }

            Assert.True(outages <= 2 * bad / Many, $"{bad} bad requests looked like an outage {outages} times, seed {seed}, game {game}.");
            Assert.Equal(bad >= Many, outages > 0);
        }
    }

    [Fact]
    public void What_is_remembered_has_a_bound_and_what_was_forgotten_is_learned_again()
    {
        for (var round = 0; round < 2; round++)
            Assert.Equal(1, FailAndSucceed("bad"));
        Assert.Equal(0, FailAndSucceed("bad"));

        for (var i = 0; i < 1_500; i++)
            Assert.Equal(1, FailAndSucceed($"another-{i}"));
        Assert.Equal(1, FailAndSucceed("bad"));

        Assert.Equal(1_000, Enumerable.Range(0, 1_500).Max(i => _failed.Add($"late-{i}")));
    }

    private int FailAndSucceed(string request)
    {
        var count = _failed.Add(request);
        _failed.Succeeded();
        return count;
    }
}
