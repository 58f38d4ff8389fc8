using DroneDelivery.Model;
using DroneDelivery.Model.Fit;

namespace DroneDelivery.Lab.Tests.Calibrations;

public sealed class LogNormalFitTests
{
    [Theory]
    [InlineData(4.4621, 0.7203, 100)]
    [InlineData(4.4621, 0.7203, 3000)]
    [InlineData(2.4849, 0.2118, 3000)]
    public void Known_parameters_are_within_their_intervals_as_often_as_these_say(double mu, double sigma, int count)
    {
        const int Samples = 200;
        var fits = Enumerable.Range(0, Samples).Select(seed => FitOf(new LogNormal(mu, sigma), count, seed)).ToList();

        // 95 of 100, and what chance does to 200.
        Assert.InRange(fits.Count(fit => Math.Abs(fit.Distribution.Mu - mu) <= fit.MuError), 0.90 * Samples, 0.995 * Samples);
        Assert.InRange(fits.Count(fit => Math.Abs(fit.Distribution.Sigma - sigma) <= fit.SigmaError), 0.88 * Samples, 0.995 * Samples);
        Assert.InRange(fits.Count(fit => fit.Distance <= fit.Usual), 0.90 * Samples, Samples);
        Assert.InRange(fits.Count(fit => fit.Warning is null), 0.97 * Samples, Samples);
    }

    [Fact]
    public void Two_humps_are_named_with_their_places_and_shares()
    {
        var random = new Random(1);
        var (fast, slow) = (new LogNormal(Math.Log(12), 0.2), new LogNormal(Math.Log(150), 0.3));
        var fit = LogNormalFit.Of(Enumerable.Range(0, 2000).Select(i => (i % 4 == 0 ? slow : fast).Next(random)));

        Assert.NotNull(fit.Warning);
        Assert.StartsWith("Two humps: 7", fit.Warning, StringComparison.Ordinal);
        Assert.Matches("around 1[12].* and the rest around 1[45]", fit.Warning);
    }

    [Fact]
    public void A_heavy_tail_is_named_with_its_percentile()
    {
        var random = new Random(2);
        var few = new LogNormal(Math.Log(35), 0.9);
        var most = new LogNormal(Math.Log(30), 0.2);
        var fit = LogNormalFit.Of(Enumerable.Range(0, 3000).Select(i => (i % 5 == 0 ? few : most).Next(random)));

        Assert.StartsWith("A heavy tail: the 99th percentile is", fit.Warning, StringComparison.Ordinal);
    }

    [Fact]
    public void Times_that_are_spread_evenly_are_not_log_normal()
    {
        var fit = LogNormalFit.Of(Enumerable.Range(1, 2000).Select(i => i * 0.1));

        Assert.StartsWith("Not log-normal", fit.Warning, StringComparison.Ordinal);
    }

    [Fact]
    public void Times_that_are_all_the_same_have_no_spread_and_no_warning()
    {
        var fit = LogNormalFit.Of(Enumerable.Repeat(20.0, 50));

        Assert.Equal((20, 0), (Math.Round(Math.Exp(fit.Distribution.Mu), 6), Math.Round(fit.Distribution.Sigma, 6)));
        Assert.Null(fit.Warning);
    }

    private static LogNormalFit FitOf(LogNormal distribution, int count, int seed)
    {
        var random = new Random(seed);
        return LogNormalFit.Of(Enumerable.Range(0, count).Select(_ => distribution.Next(random)));
    }
}
