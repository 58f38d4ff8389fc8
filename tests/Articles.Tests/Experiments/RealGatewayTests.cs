using DroneDelivery.Articles.GatewayPolicies;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles.Tests.Experiments;

[Collection(RealProcesses.Name)]
[Trait("tier", "slow")]
public sealed class RealGatewayTests
{
    private const string Name = "gateway-policies";

    private static readonly Dictionary<string, PolicyLoad> Loads = PolicyLoad.All().ToDictionary(load => load.Name);

    /// <summary>Microseconds of CPU for a request of each load.</summary>
    private static readonly Dictionary<string, double> Costs = new()
    {
        ["answer"] = 20,
        ["forward"] = 50,
        ["forwardPost"] = 60,
        ["validate"] = 70,
        ["noKey"] = 20,
        ["tooLarge"] = 25,
        ["invalid"] = 40,
    };

    [Fact]
    public async Task A_real_gateway_refuses_what_is_invalid_and_forwards_the_rest()
    {
        var record = await PlayedExperiment.OfAsync(Name, ["gateway"], "real.seconds=0.2", "real.repetitions=2");

        var real = record.Checks.Where(check => check.Holds is not null).ToDictionary(check => check.Id);
        Assert.Equal(9, real.Count);
        // What a request costs belongs to the machine; which ones get through does not.
        Assert.True(real["gateway-x"].Holds, $"{real["gateway-x"].Measured} answers were not as expected");
        Assert.True(real["gateway-y"].Holds, $"{real["gateway-y"].Measured} of the invalid ones were refused");
        Assert.True(real["gateway-z"].Holds, $"{real["gateway-z"].Measured} messages for each valid request");
        var exhibits = Assert.Single(record.Variants).Exhibits;
        Assert.Equal(7, Assert.Single(exhibits.Tables).Rows.Count);
    }

    [Theory]
    [Breaks]
    [InlineData("answer", 20, "")] // as expected
    [InlineData("forward", 20, "gateway-s gateway-v")] // nothing is forwarded
    [InlineData("forwardPost", 50, "gateway-t")] // a body is left behind
    [InlineData("validate", 50, "gateway-u")] // its body is left behind, too
    [InlineData("invalid", 20, "gateway-aa")] // a body is refused without being read
    [InlineData("invalid", 75, "gateway-w")] // it is forwarded first, and refused then
    [InlineData("noKey", 70, "gateway-aa gateway-w")] // the key is looked at last
    public void A_gateway_whose_costs_are_others_fails_the_checks_that_are_about_them(
        string load,
        double microseconds,
        string expected
    ) =>
        Assert.Equal(
            expected,
            string.Join(' ', Failing(new(Costs) { [load] = microseconds }).Order(StringComparer.Ordinal))
        );

    [Theory]
    [Breaks]
    [InlineData("validate", 0, "gateway-x")] // something valid is refused
    [InlineData("invalid", 0, "gateway-x gateway-y")] // something invalid is accepted
    [InlineData("", 1, "gateway-z")] // something refused was forwarded, too
    [InlineData("", -1, "gateway-z")] // something accepted was lost
    public void One_request_that_goes_the_wrong_way_fails_the_checks_that_are_about_it(
        string load,
        int more,
        string expected
    ) => Assert.Equal(expected.Split(' ').ToHashSet(), Failing(Costs, load, more));

    [Fact]
    public void A_turn_that_something_else_disturbed_does_not_count()
    {
        var turns = Enumerable
            .Range(0, 6)
            .SelectMany(turn => Turn(turn, Costs, disturbed: turn == 3 ? 10 : 1))
            .ToList();

        Assert.Equal(60, new PolicyMeasurements(turns, 0).Figures()["real.forwardPost.cpu"], 1e-9);
    }

    [Fact]
    public async Task A_gateway_that_is_killed_ends_the_experiment_with_its_name()
    {
        using var folder = new OwnFolder();
        var scene = new Scene(
            Experiment.Load(Name).VariantsOf(["gateway"])[0],
            PlayedExperiment.KnobsOf(Name, "gateway"),
            folder.Path,
            new(FreePorts.Offset()),
            new Progress<string>()
        );
        await using var application = await Application.StartAsync(
            RealGateway.PlanOf(scene),
            new Progress<(int, int)>(),
            Cancelled
        );
        var killed = scene with
        {
            Progress = new Killing(application[Service.Gateway, 1].Id, when: "forward, GET, turn 0"),
        };

        var crash = await Assert.ThrowsAsync<CrashException>(() =>
            RealArm.UntilCrashAsync(
                application,
                token => RealGateway.MeasureAsync(application, killed, token),
                Cancelled
            )
        );

        Assert.Equal("gateway-1", crash.Process);
    }

    private static HashSet<string> Failing(Dictionary<string, double> costs, string wrong = "", int more = 0)
    {
        var turns = Enumerable
            .Range(0, 4)
            .SelectMany(turn => Turn(turn, costs))
            .Select(
                (turn, i) =>
                    turn.Load.Name == wrong && turn.Turn == 1
                        ? turn with
                        {
                            Seen = turn.Seen with { Failed = 1 },
                        }
                        : turn
            )
            .ToList();
        var accepted = turns.Where(turn => turn.Load.IsAccepted).Sum(turn => turn.Seen.Requests - turn.Seen.Failed);
        var checks = PlayedExperiment.Judge(Name, new PolicyMeasurements(turns, accepted + more).Figures());
        return [.. checks.Where(check => check.Holds == false).Select(check => check.Id)];
    }

    /// <summary>All loads, each with the CPU of its requests and as many of them as one core manages.</summary>
    private static IEnumerable<PolicyTurn> Turn(int turn, Dictionary<string, double> costs, double disturbed = 1) =>
        costs.Select(cost =>
        {
            var (each, requests) = (cost.Value * disturbed, (int)(1_000_000 / cost.Value));
            var seen = new ClosedLoad(1, 1, [.. Enumerable.Repeat(each / 1000, requests)], Failed: 0);
            return new PolicyTurn(Loads[cost.Key], turn, seen, TimeSpan.FromMicroseconds(each * requests));
        });

    private sealed class Killing(int process, string when) : IProgress<string>
    {
        public void Report(string value)
        {
            if (value.StartsWith(when, StringComparison.Ordinal))
                System.Diagnostics.Process.GetProcessById(process).Kill();
        }
    }
}
