namespace DroneDelivery.Lab.Tests.Replays;

/// <summary>
/// <c>run --target</c> on the application of <c>lab up</c>, a separate process with which it shares only addresses.
/// </summary>
[Trait("tier", "slow")]
public sealed class ReplayAgainstLabTests
{
    private const string Key = "SAS_KEY_VALUE";
    private static readonly string[] Short =
    [
        "run",
        "2",
        "--k",
        "16",
        "--set",
        "load.maxUsers=8",
        "--set",
        "load.duration=96",
        "--set",
        "queue.lockDuration=300",
        "--replicas",
        "ingestion=2",
    ];

    [Fact]
    public async Task Stage_runs_on_a_target_and_is_graded_by_its_endpoints()
    {
        await using var target = new LabProcess();
        using var up = await target.UpAsync(
            "--replicas",
            "ingestion=2,workflow=1",
            "--set",
            "queue.lockDuration=18.75",
            "--set",
            "queue.maxDeliveryCount=3"
        );
        await using var lab = new LabProcess();

        var (exitCode, output, error) = await lab.RunAsync([
            .. Short,
            .. target.State.Of(Service.Ingestion).SelectMany(replica => new[] { "--target", $"{replica.Url}" }),
            "--connection",
            target.State.BrokerConnectionString,
            "--collector",
            $"http://127.0.0.1:{new Ports(target.PortOffset).Collector}",
        ]);

        var folder = Assert.Single(Directory.GetDirectories(Path.Combine(lab.Artifacts, "runs")));
        var run = RunRecord.Read(Path.Combine(folder, "run.json"));
        var stage = Assert.Single(run.Stages);
        Assert.Equal((int)Outcomes.ExitCodeOf(run.Outcome), exitCode);
        // The same load as in StageSessionTests, counted by the same broker.
        Assert.InRange(stage.Load!.Accepted, 1, 95);
        Assert.Equal(stage.Load.Accepted, stage.Final!.Incoming);
        Assert.Equal((0, 0), (stage.Figures["unaccounted"].Value, stage.Figures["http.5xx"].Value));
        Assert.True(stage.Figures["outgoing.plateau"].Value > 0);
        // Every message was completed, so telemetry must account for each one. It also contains internal failures.
        Assert.Equal(
            (stage.Load.Accepted, 0, 0),
            (
                stage.Figures["telemetry.accepted"].Value,
                stage.Figures["telemetry.unaccounted"].Value,
                stage.Figures["telemetry.acceptedDifference"].Value
            )
        );
        Assert.DoesNotContain("node.p95", stage.Figures.Keys);
        Assert.Contains("1 not available: 2d (node.p95)", output, StringComparison.Ordinal);
        Assert.Contains(
            "id=\"map-2\"",
            await File.ReadAllTextAsync(Path.Combine(folder, "report.html"), Cancel),
            StringComparison.Ordinal
        );
        AssertHas(error, "requests in 6 s from 8 users", $"helm upgrade drone helm/drone-delivery");
        AssertHas(await File.ReadAllTextAsync(Path.Combine(folder, "values.yaml"), Cancel), "lockDuration: PT18.75S");
        Assert.All(Directory.GetFiles(folder, "*", SearchOption.AllDirectories), file =>
            Assert.DoesNotContain(Key, File.ReadAllText(file), StringComparison.Ordinal)
        );
    }

    [Fact]
    public async Task Mismatched_queue_and_unconfirmed_host_are_rejected()
    {
        await using var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        string[] there = ["replay", "--target", "http://192.0.2.1:5100", "--connection", broker.ConnectionString];

        var otherLock = await LabInMemory.InvokeAsync(there);
        var judgedByIt = await LabInMemory.InvokeAsync([
            "run",
            .. there[1..],
            "--full",
            "--set",
            "queue.maxDeliveryCount=10",
        ]);
        var queue = broker.Broker.Entities.Get(BrokerCounters.QueueName);
        broker.Broker.Entities.Update(
            queue.Options with
            {
                LockDuration = TimeSpan.FromSeconds(7.5),
                MaxDeliveryCount = 3,
            }
        );
        var refused = await LabInMemory.InvokeAsync(there);
        var partly = await LabInMemory.InvokeAsync([.. there, "--target", "http://127.0.0.1:1"]);
        var dry = await LabInMemory.InvokeAsync([.. there, "--dry-run"]);
        await using (var target = new TargetQueue(new BusConnection(broker.ConnectionString), TimeProvider.System))
            await target.FillAsync(1, instructionsLength: 0, due: default, Cancel);
        var notEmpty = await LabInMemory.InvokeAsync(there);

        Assert.Equal((1, 2), (otherLock.ExitCode, judgedByIt.ExitCode)); // In this case, no user confirms the load.
        AssertHas(
            otherLock.Error,
            "The queue's lock duration is 60 s; the stage's is 7.5 s. The queue's maximum delivery count is 10; the stage's is 3."
        );
        Assert.Equal((2, 2), (refused.ExitCode, partly.ExitCode));
        const string Why = "http://192.0.2.1:5100/ is not on this machine. Add --yes to send the load to it.";
        Assert.All([refused, partly], it => Assert.Contains(Why, it.Error, StringComparison.Ordinal));
        Assert.Equal((0, 1), (dry.ExitCode, notEmpty.ExitCode));
        AssertHas(dry.Error, "up to 3375 requests in 60 s from 40 users, after 15 for warm-up.");
        AssertHas(
            notEmpty.Error,
            "The queue contains 1 messages, but stage 2 starts with none. Wait until Workflow has processed them, or use --purge."
        );
    }
}
