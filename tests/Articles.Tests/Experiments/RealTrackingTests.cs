using DroneDelivery.Articles.TrackingPixel;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Articles.Tests.Experiments;

[Collection(RealProcesses.Name)]
[Trait("tier", "slow")]
public sealed class RealTrackingTests
{
    [Fact]
    public async Task Every_hit_of_every_writer_is_in_the_table()
    {
        Assert.SkipWhen(
            Executable.OnPath("node") is null || Executable.OnPath("npm") is null,
            "node or npm is not on PATH."
        );

        var record = await ExperimentRuns.OfAsync(
            "tracking-pixel",
            ["writers"],
            "real.seconds=0.3",
            "real.repetitions=1",
            "real.readers=8"
        );

        // The speed depends on the machine, but not the stored hits.
        var checks = record.Checks.ToDictionary(check => check.Id);
        Assert.Equal((true, true, true), (checks["pixel-o"].Holds, checks["pixel-p"].Holds, checks["pixel-q"].Holds));
        Assert.Equal(WriterSubject.All.Count, Assert.Single(Assert.Single(record.Variants).Exhibits.Tables).Rows.Count);
    }

    [Theory]
    [Breaks]
    [InlineData("", "nothing")]
    [InlineData("pixel-k pixel-l pixel-m", "each hit of a batch is a request of its own")]
    [InlineData("pixel-l", "batches do not go by partition")]
    [InlineData("pixel-n", "the readers are the limit")]
    [InlineData("pixel-o", "a full buffer drops a hit")]
    [InlineData("pixel-o", "a hit that is sent again is stored again")]
    [InlineData("pixel-p", "every service has the writer of the first")]
    [InlineData("pixel-q", "a hit waits too short for room")]
    public void Broken_mechanism_fails_the_checks_for_it(string expected, string broken)
    {
        Dictionary<string, WriterLoad> loads = new()
        {
            ["insert"] = Load("insert", 1_000, cpu: 400),
            ["batch"] = Load("batch", 8_000, cpu: 50),
            ["scattered"] = Load("scattered", 2_000, cpu: 250),
            [WriterSubject.None] = Load(WriterSubject.None, 20_000, cpu: 20) with { Stored = 0 },
        };
        Break(loads, broken);

        var checks = ExperimentRuns.Judge("tracking-pixel", RealTracking.Figures([.. loads.Values]));

        Assert.Equal(expected, string.Join(' ', checks.Where(check => check.Holds == false).Select(check => check.Id)));
    }

    private static void Break(Dictionary<string, WriterLoad> loads, string broken)
    {
        var batch = loads["batch"];
        WriterLoad[] wrong = broken switch
        {
            "each hit of a batch is a request of its own" => [loads["scattered"] with { Subject = "batch" }],
            "batches do not go by partition" => [batch with { Subject = "scattered" }],
            "the readers are the limit" => [Load(WriterSubject.None, 7_900, cpu: 20) with { Stored = 0 }],
            "a full buffer drops a hit" => [batch with { Stored = batch.Stored - 1 }],
            "a hit that is sent again is stored again" => [batch with { Stored = batch.Stored + 1 }],
            "every service has the writer of the first" => [Load(WriterSubject.None, 20_000, cpu: 20)],
            "a hit waits too short for room" =>
            [
                batch with
                {
                    Seen = batch.Seen with { Failed = 1 },
                    Stored = batch.Stored - 1,
                },
            ],
            _ => [],
        };
        foreach (var load in wrong)
            loads[load.Subject] = load;
    }

    private static WriterLoad Load(string subject, int perSecond, double cpu) =>
        new(
            subject,
            new ClosedLoad(32, 1, [.. Enumerable.Repeat(32_000.0 / perSecond, perSecond)], Failed: 0),
            Seconds: 1,
            TimeSpan.FromMicroseconds(cpu * perSecond),
            perSecond
        );
}
