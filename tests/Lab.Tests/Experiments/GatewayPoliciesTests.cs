namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary><c>lab experiment gateway-policies</c>: the emulated gateway against arithmetic and against the published figures.</summary>
public sealed class GatewayPoliciesTests
{
    private const string Name = "gateway-policies";

    private static readonly string[] Emulated =
        [.. Experiment.Load(Name).Variants.Where(variant => variant.Arm == Arm.Emulated).Select(variant => variant.Name)];

    [Fact]
    public async Task Every_check_of_the_emulated_gateway_holds()
    {
        var record = await PlayedExperiment.OfAsync(Name, Emulated);

        Assert.Empty(record.Failing());
        Assert.Equal(Outcomes.Holds, record.Outcome);
        var emulated = record.Checks.Where(check => Experiment.Load(Name).FigureOf(check.Figure).Arm == Arm.Emulated);
        Assert.All(emulated, check => Assert.True(check.Holds));
    }

    [Theory]
    [Breaks]
    // too few users to saturate anything
    [InlineData("load.users=1000", "gateway-a gateway-g gateway-h gateway-i gateway-j gateway-k gateway-l")]
    [InlineData("load.thinkMost=0.5", "gateway-j gateway-k")]   // users hardly think
    // they are still coming while it is measured
    [InlineData("load.spawn=10", "gateway-a gateway-g gateway-h gateway-i")]
    [InlineData("gateway.servers=1", "gateway-j gateway-p gateway-q gateway-r")]
    [InlineData("gateway.concurrency=100", "gateway-h gateway-i")]   // who waits for the back end keeps others out
    [InlineData("policy.forward=4", "gateway-j gateway-q gateway-r")]
    [InlineData("policy.body=0", "gateway-l gateway-r")]   // a body costs nothing
    [InlineData("policy.validate=0", "gateway-m gateway-r")]   // validation costs nothing
    [InlineData("request.invalid=0.5", "gateway-m gateway-n gateway-o")]   // half of the invalid bodies get through
    [InlineData("request.invalid=0", "gateway-n gateway-o")]   // nothing is refused
    [InlineData("tier.wanted=1500", "gateway-p gateway-q gateway-r")]   // a unit manages less than the wanted rate
    [InlineData("tier.basic.units=1", "gateway-q")]   // one unit only
    [InlineData("tier.basic.units=3", "gateway-r")]
    public async Task A_broken_mechanism_fails_the_checks_that_are_about_it(string knob, string expected)
    {
        var record = await PlayedExperiment.OfAsync(Name, Emulated, knob, "load.duration=130", "load.plateau=60");

        Assert.Equal(expected, string.Join(' ', record.Failing().Order(StringComparer.Ordinal)));
    }

    [Theory]
    [InlineData("policy.body=1.24", "policy.validate=0")]
    [InlineData("policy.body=0", "policy.validate=1.24")]
    public async Task The_articles_figures_hold_whichever_of_body_and_validation_costs_it_all(string body, string validate)
    {
        var record = await PlayedExperiment.OfAsync(Name, ["return-response", "forward", "validate"], body, validate);

        var rates = record.Variants.Select(variant => variant.Exhibits.Figures[$"{variant.Name}.rps"]).ToList();
        Assert.InRange(rates[0], 1330, 1470);
        Assert.InRange(rates[1], 650, 750);
        Assert.InRange(rates[2], 400, 500);
    }

    [Fact]
    public void Busy_servers_answer_what_their_CPU_manages()
    {
        var result = Play();

        Assert.Equal(1, result.PerSecond / (2 / 0.040), 0.03);
        Assert.Equal(1, result.Busy, 0.01);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(40)]
    public void Users_are_either_waiting_or_thinking(double milliseconds)
    {
        var result = Play(("policy.answer", milliseconds));

        Assert.Equal(100, result.PerSecond * (result.MeanSeconds + 1), 1.0);
    }

    [Fact]
    public void Servers_with_time_answer_after_their_own_time_and_the_back_ends()
    {
        (string, double)[] alone = [("load.users", 1), ("request.sigma", 0), ("backend.sigma", 0)];

        Assert.Equal(0.045, Play(alone).MeanSeconds, 1e-6);
        Assert.Equal(0.040, Play([.. alone, ("request.forward", 0)]).MeanSeconds, 1e-6);
    }

    [Fact]
    public void A_refused_request_costs_its_own_time_and_goes_no_further()
    {
        var result = Play(
            ("load.users", 1), ("request.sigma", 0), ("request.validate", 1), ("request.invalid", 1), ("policy.answer", 10),
            ("policy.forward", 30), ("policy.validate", 0));

        Assert.Equal(0.010, result.MeanSeconds, 1e-6);
        Assert.Equal(0, result.ForwardedPerSecond);
    }

    [Fact]
    public void A_full_server_takes_the_next_request_when_one_is_answered()
    {
        var narrow = Play(("gateway.concurrency", 3), ("policy.answer", 1), ("backend.latency", 1000), ("backend.sigma", 0));

        Assert.Equal(2 * 3 / 1.001, narrow.PerSecond, 0.2);
    }

    [Fact]
    public void Equal_seeds_give_equal_runs() =>
        Assert.Equal(Play().Latencies, Play().Latencies);

    /// <summary>100 users who think for a second, on two servers that take 40 ms of CPU for a request.</summary>
    private static GatewayResult Play(params (string Knob, double Value)[] set)
    {
        Dictionary<string, double> small = new()
        {
            ["load.users"] = 100,
            ["load.spawn"] = 100,
            ["load.thinkMost"] = 1.5,
            ["load.duration"] = 400,
            ["load.plateau"] = 350,
            ["policy.answer"] = 40,
            ["policy.forward"] = 0,
            ["backend.latency"] = 5,
        };
        foreach (var (knob, value) in set)
            small[knob] = value;
        var knobs = PlayedExperiment.KnobsOf(Name, "forward", [.. small.Select(it => (it.Key, it.Value))]);
        return new EmulatedGateway(knobs).Play(Cancel);
    }
}
