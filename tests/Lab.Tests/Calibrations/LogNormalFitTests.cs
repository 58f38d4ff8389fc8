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
        var fits = Enumerable
            .Range(0, Samples)
            .Select(seed => Mixed(seed, count, each: 1, new(mu, sigma), new(mu, sigma)))
            .ToList();

        // 95 of 100, and what chance does to 200.
        Assert.InRange(
            fits.Count(fit => Math.Abs(fit.Distribution.Mu - mu) <= fit.MuError),
            0.90 * Samples,
            0.995 * Samples
        );
        Assert.InRange(
            fits.Count(fit => Math.Abs(fit.Distribution.Sigma - sigma) <= fit.SigmaError),
            0.88 * Samples,
            0.995 * Samples
        );
        Assert.InRange(fits.Count(fit => fit.Distance <= fit.Usual), 0.90 * Samples, Samples);
        Assert.InRange(fits.Count(fit => fit.Warning is null), 0.97 * Samples, Samples);
    }

    [Fact]
    public void Times_of_another_shape_are_named_with_it_and_times_that_are_all_the_same_are_not()
    {
        LogNormal most = new(Math.Log(30), 0.2),
            few = new(Math.Log(35), 0.9);
        var same = LogNormalFit.Of(Enumerable.Repeat(20.0, 50));

        Assert.Matches("^A heavy tail: the 99th percentile is", Mixed(seed: 2, 3000, each: 5, few, most).Warning);
        Assert.Matches("^Not log-normal", LogNormalFit.Of(Enumerable.Range(1, 2000).Select(i => i * 0.1)).Warning);
        Assert.Equal(
            (20, 0, null),
            (Math.Round(Math.Exp(same.Distribution.Mu), 6), Math.Round(same.Distribution.Sigma, 6), same.Warning)
        );
    }

    private static LogNormalFit Mixed(int seed, int count, int each, LogNormal one, LogNormal others)
    {
        var random = new Random(seed);
        return LogNormalFit.Of(Enumerable.Range(0, count).Select(i => (i % each == 0 ? one : others).Next(random)));
    }
}
