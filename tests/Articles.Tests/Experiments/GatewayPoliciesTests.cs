using DroneDelivery.Articles.GatewayPolicies;

namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class GatewayPoliciesTests
{
    private const string Name = "gateway-policies";

    [Theory]
    [InlineData("policy.body=1.24", "policy.validate=0")]
    [InlineData("policy.body=0", "policy.validate=1.24")]
    public async Task Articles_metrics_hold_for_any_split_of_body_and_validation(string body, string validate)
    {
        var record = await ExperimentRuns.OfAsync(Name, ["return-response", "forward", "validate"], body, validate);

        var rates = record.Variants.Select(variant => variant.Exhibits.Figures[$"{variant.Name}.rps"]).ToList();
        Assert.InRange(rates[0], 1330, 1470);
        Assert.InRange(rates[1], 650, 750);
        Assert.InRange(rates[2], 400, 500);
    }

    [Fact]
    public void Busy_servers_respond_at_the_rate_of_their_CPU()
    {
        var result = Play();

        Assert.Equal(1, result.Result.PerSecond / (2 / 0.040), 0.03);
        Assert.Equal(1, result.Busy, 0.01);
    }

    [Fact]
    public void Idle_servers_respond_after_their_own_and_the_back_ends_time()
    {
        (string, double)[] alone = [("load.users", 1), ("request.sigma", 0), ("backend.sigma", 0)];

        Assert.Equal(0.045, Play(alone).Result.MeanSeconds, 1e-6);
        Assert.Equal(0.040, Play([.. alone, ("request.forward", 0)]).Result.MeanSeconds, 1e-6);
    }

    [Fact]
    public void Rejected_request_costs_its_own_time_and_is_not_forwarded()
    {
        var result = Play(
            ("load.users", 1),
            ("request.sigma", 0),
            ("request.validate", 1),
            ("request.invalid", 1),
            ("policy.answer", 10),
            ("policy.forward", 30),
            ("policy.validate", 0)
        );

        Assert.Equal(0.010, result.Result.MeanSeconds, 1e-6);
        Assert.Equal(0, result.ForwardedPerSecond);
    }

    [Fact]
    public void Full_server_accepts_the_next_request_after_a_response()
    {
        var narrow = Play(
            ("gateway.concurrency", 3),
            ("policy.answer", 1),
            ("backend.latency", 1000),
            ("backend.sigma", 0)
        );

        Assert.Equal(2 * 3 / 1.001, narrow.Result.PerSecond, 0.2);
    }

    /// <summary>
    /// 100 users with a think time of a second, on two servers that require 40 ms of CPU per request.
    /// </summary>
    private static GatewayLoad Play(params (string Knob, double Value)[] set)
    {
        (string, double)[] small =
        [
            ("load.users", 100),
            ("load.spawn", 100),
            ("load.thinkMost", 1.5),
            ("load.duration", 400),
            ("load.plateau", 350),
            ("policy.answer", 40),
            ("policy.forward", 0),
            ("backend.latency", 5),
        ];
        return GatewayLoad.Play(ExperimentRuns.KnobsOf(Name, "forward", [.. small, .. set]), Cancelled);
    }
}
