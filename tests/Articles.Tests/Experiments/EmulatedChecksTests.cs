using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class EmulatedChecksTests
{
    [Theory]
    [InlineData("disk-writes")]
    [InlineData("gateway-policies")]
    [InlineData("http-scale", "load.duration=60")]
    [InlineData("tracking-pixel")]
    public async Task All_checks_of_simulations_pass(string name, params string[] knobs)
    {
        var experiment = Experiment.Load(name);
        var emulated = experiment
            .Variants.Where(variant => variant.Arm == Arm.Emulated)
            .Select(variant => variant.Name);

        var record = await ExperimentRuns.OfAsync(name, [.. emulated], knobs);

        Assert.Equal(Outcomes.Holds, record.Outcome);
        Assert.All(record.Checks, check =>
            Assert.Equal(experiment.FigureOf(check.Figure).Arm == Arm.Emulated ? true : null, check.Holds)
        );
    }

    [Theory]
    [Breaks]
    // Large writes are not split.
    [InlineData("disk-writes", "share.largestWrite=256", "disk-a disk-b disk-c disk-g disk-h")]
    [InlineData("disk-writes", "share.operationInKnownLength=60", "disk-e")] // SetLength saves nothing.
    [InlineData("disk-writes", "share.smallOperation=10", "disk-f")] // CopyToAsync is too cheap.
    [InlineData("disk-writes", "share.operation=25", "disk-b disk-g disk-h")] // A different share.
    // Too few users to saturate the system.
    [InlineData(
        "gateway-policies",
        "load.users=1000",
        "gateway-a gateway-g gateway-h gateway-i gateway-j gateway-k gateway-l"
    )]
    // Users are still being added during the measurement.
    [InlineData("gateway-policies", "load.spawn=10", "gateway-a gateway-g gateway-h gateway-i")]
    [InlineData("gateway-policies", "gateway.servers=1", "gateway-j gateway-p gateway-q gateway-r")]
    [InlineData("gateway-policies", "policy.body=0", "gateway-l gateway-r")] // A body costs nothing.
    [InlineData("gateway-policies", "policy.validate=0", "gateway-m gateway-r")] // Validation costs nothing.
    // Half of the invalid bodies pass.
    [InlineData("gateway-policies", "request.invalid=0.5", "gateway-m gateway-n gateway-o")]
    // A unit handles less than the required rate.
    [InlineData("gateway-policies", "tier.wanted=1500", "gateway-p gateway-q gateway-r")]
    [InlineData("gateway-policies", "tier.basic.units=1", "gateway-q")] // Only one unit.
    // The quota is the limit.
    [InlineData("http-scale", "scale.quota=100 load.duration=60", "http-b http-e http-f http-h http-l", "c16 c8 c4 c1")]
    // The quota is the limit, and a larger one isn't.
    [InlineData("http-scale", "load.clients=2000 load.duration=20", "http-q")]
    // Instances are added too slowly.
    [InlineData("http-scale", "scale.pace=2 load.duration=60", "http-f http-g http-h")]
    [InlineData("http-scale", "scale.alwaysReady=1000 load.duration=60", "http-o")] // Nothing starts cold.
    [InlineData("http-scale", "scale.alwaysReady=0 load.duration=60", "http-p")] // Nothing is always ready.
    [InlineData("http-scale", "price.millionExecutions=0 load.duration=60", "http-n")] // Executions are not billed.
    // The setting is not applied.
    [InlineData(
        "http-scale",
        "app.concurrency=16 load.duration=60",
        "http-b http-d http-e http-f http-g http-h http-m http-n",
        "c16 c8 c4"
    )]
    [InlineData("tracking-pixel", "host.queueLimit=1000", "pixel-c pixel-h")] // A host accepts fewer hits.
    [InlineData("tracking-pixel", "write.cpu=0", "pixel-e")] // The call to the table costs nothing.
    [InlineData("tracking-pixel", "logging.cpu=6", "pixel-f")] // Logging is always on.
    [InlineData("tracking-pixel", "host.acu=40", "pixel-g")] // The hosts are slow.
    [InlineData("tracking-pixel", "load.most=100", "pixel-h pixel-i")] // Users wait between their requests.
    public async Task Broken_mechanism_fails_the_checks_for_it(
        string name,
        string knobs,
        string expected,
        string? variants = null
    )
    {
        var played = variants?.Split(' ') ?? ExperimentRuns.VariantsOf(name, expected.Split(' '));
        string[] shorter = name == "gateway-policies" ? ["load.duration=130", "load.plateau=60"] : [];

        var record = await ExperimentRuns.OfAsync(name, played, [.. knobs.Split(' '), .. shorter]);

        Assert.Equal(Outcomes.Fails, record.Outcome);
        Assert.Equal(expected, string.Join(' ', record.Failing().Order(StringComparer.Ordinal)));
    }
}
