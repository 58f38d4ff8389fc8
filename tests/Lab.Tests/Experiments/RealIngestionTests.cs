using DroneDelivery.Lab.Experiments.HttpScale;
using DroneDelivery.Lab.Tests.Processes;

namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary>The real arm of <c>lab experiment http-scale</c>: Ingestion itself, with clients that wait for their answers.</summary>
[Collection(RealProcesses.Name)]
public sealed class RealIngestionTests
{
    [Fact]
    public async Task A_real_Ingestion_accepts_what_closed_clients_send()
    {
        var record = await PlayedExperiment.OfAsync("http-scale", ["ingestion"], "real.seconds=0.3", "real.repetitions=1");

        var real = record.Checks.Where(check => check.Figure.StartsWith("real.", StringComparison.Ordinal)).ToDictionary(check => check.Id);
        Assert.Equal(5, real.Count);
        // How fast it is belongs to the machine; that each client always has one request on its way does not.
        Assert.True(real["http-u"].Holds, $"{real["http-u"].Measured} requests on their way");
        Assert.True(real["http-v"].Holds);
        Assert.Equal(6, Assert.Single(Assert.Single(record.Variants).Exhibits.Tables).Rows.Count);
    }

    [Theory]
    [InlineData("http-r", 10, 10)]   // requests wait for each other
    [InlineData("http-s", 10, 1)]   // the clients were the limit
    [InlineData("http-t", 1, 1)]   // what there is no time for is refused at once
    public void A_real_instance_that_is_none_fails_the_check_that_is_about_it(string expected, double msOf16, double msOf64)
    {
        ClosedLoad[] loads = [Load(1, msOf16 / 16 * (expected == "http-r" ? 1 : 3)), Load(4, 1), Load(16, msOf16), Load(64, msOf64)];

        var checks = PlayedExperiment.Judge("http-scale", RealIngestion.Figures(loads));

        Assert.Contains(expected, checks.Where(check => check.Holds == false).Select(check => check.Id));

        // So many clients for a second, each waiting so long for each answer.
        static ClosedLoad Load(int clients, double ms) =>
            new(clients, 1, [.. Enumerable.Repeat(ms, (int)(clients * 1000 / ms))], Failed: 0);
    }
}
