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

    /// <summary>The CPU time of a request of each load, in microseconds.</summary>
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
    public async Task Real_gateway_rejects_invalid_requests_and_forwards_the_rest()
    {
        var record = await ExperimentRuns.OfAsync(Name, ["gateway"], "real.seconds=0.2", "real.repetitions=2");

        var real = record.Checks.Where(check => check.Holds is not null).ToDictionary(check => check.Id);
        Assert.Equal(9, real.Count);
        // The cost of a request depends on the machine, but not the set of forwarded requests.
        Assert.True(real["gateway-x"].Holds, $"{real["gateway-x"].Measured} responses were unexpected");
        Assert.True(real["gateway-y"].Holds, $"{real["gateway-y"].Measured} of the invalid requests were rejected");
        Assert.True(real["gateway-z"].Holds, $"{real["gateway-z"].Measured} messages for each valid request");
        var exhibits = Assert.Single(record.Variants).Exhibits;
        Assert.Equal(7, Assert.Single(exhibits.Tables).Rows.Count);
    }

    [Theory]
    [Breaks]
    [InlineData("answer", 20, "")] // As expected.
    [InlineData("forward", 20, "gateway-s gateway-v")] // Nothing is forwarded.
    [InlineData("forwardPost", 50, "gateway-t")] // The body is not forwarded.
    [InlineData("validate", 50, "gateway-u")] // Its body is not forwarded either.
    [InlineData("invalid", 20, "gateway-aa")] // The body is rejected unread.
    [InlineData("invalid", 75, "gateway-w")] // It is forwarded first and rejected later.
    [InlineData("noKey", 70, "gateway-aa gateway-w")] // The key is checked last.
    public void Gateway_with_other_costs_fails_the_checks_for_them(string load, double microseconds, string expected) =>
        Assert.Equal(
            expected,
            string.Join(' ', Failing(new(Costs) { [load] = microseconds }).Order(StringComparer.Ordinal))
        );

    [Theory]
    [Breaks]
    [InlineData("validate", 0, "gateway-x")] // A valid request is rejected.
    [InlineData("invalid", 0, "gateway-x gateway-y")] // An invalid request is accepted.
    [InlineData("", 1, "gateway-z")] // A rejected request was forwarded.
    [InlineData("", -1, "gateway-z")] // An accepted request was lost.
    public void One_misrouted_request_fails_the_checks_for_it(string load, int more, string expected) =>
        Assert.Equal(expected.Split(' ').ToHashSet(), Failing(Costs, load, more));

    [Fact]
    public void Disturbed_measurement_does_not_count()
    {
        var turns = Enumerable
            .Range(0, 6)
            .SelectMany(turn => Turn(turn, Costs, disturbed: turn == 3 ? 10 : 1))
            .ToList();

        Assert.Equal(60, new PolicyMeasurements(turns, 0).Figures()["real.forwardPost.cpu"], 1e-9);
    }

    [Fact]
    public async Task Killed_gateway_ends_the_experiment_with_its_name()
    {
        using var folder = new OwnFolder();
        var scene = new Scene(
            Experiment.Load(Name).VariantsOf(["gateway"])[0],
            ExperimentRuns.KnobsOf(Name, "gateway"),
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
        var checks = ExperimentRuns.Judge(Name, new PolicyMeasurements(turns, accepted + more).Figures());
        return [.. checks.Where(check => check.Holds == false).Select(check => check.Id)];
    }

    /// <summary>
    /// All loads, each with the CPU time of its requests and the number of requests that one core handles.
    /// </summary>
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
