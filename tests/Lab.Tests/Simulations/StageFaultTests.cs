namespace DroneDelivery.Lab.Tests.Simulations;

public sealed class StageFaultTests
{
    private static readonly Lazy<Task<Func<string, double>>> WithoutFault = new(() => SimulateAsync());

    [Theory]
    [InlineData("kill workflow at 400s", "redelivered")]
    [InlineData("kill workflow-2 at 400s for 20s", "redelivered")]
    [InlineData("fill redis at 100s for 40s", "http.5xx")]
    [InlineData("kill ingestion-1 at 300s for 2m", "accepted")]
    [InlineData("slow delivery x50 at 100s for 100s", "completed.underLoad")]
    [InlineData("slow broker x20 at 100s for 100s", "completed.underLoad")]
    [InlineData("pause broker at 350s for 100s", "redelivered")]
    [InlineData("pause redis at 300s for 40s", "http.5xx")]
    [InlineData("fail package 30% at 300s for 40s", "http.5xx")]
    public async Task Fault_changes_the_simulated_metrics(string fault, string figure)
    {
        var without = (await WithoutFault.Value)(figure);
        var with = await FigureAsync(figure, "--fault", fault);

        Assert.True(Math.Abs(with - without) > 3, $"{figure}: {with} with the fault, {without} without it");
    }

    [Fact]
    public async Task Paused_Redis_fails_no_call_within_its_timeout()
    {
        string[] pause = ["--fault", "pause redis at 300s for 40s"];

        Assert.InRange(await FigureAsync("http.5xx", pause), 1, double.MaxValue);
        Assert.Equal(0, await FigureAsync("http.5xx", ["--set", "redis.operationTimeout=8s", .. pause]));
    }

    [Fact]
    public async Task Failing_back_end_does_not_count_as_full_cache()
    {
        var figures = await SimulateAsync("--fault", "fail package 30% at 320s for 40s");

        Assert.Equal(0, figures("telemetry.cacheFull"));
        Assert.Equal(figures("http.5xx"), figures("telemetry.errors"));
        Assert.InRange(figures("telemetry.firstError"), 40, 46);
    }

    [Fact]
    public async Task Command_of_a_simulation_can_be_repeated() =>
        Assert.Equal(
            "./lab simulate 2 --set queue.lockDuration=30 --fault 'kill workflow at 20s' --json",
            (
                await LabInMemory.JsonAsync(
                    "simulate",
                    "2",
                    "--set",
                    "queue.lockDuration=30",
                    "--fault",
                    "kill workflow at 20s"
                )
            )
                .GetProperty("command")
                .GetString()
        );

    [Theory]
    [InlineData("--fault 'stop workflow at 20s': expected 'kill SERVICE", "--fault", "stop workflow at 20s")]
    [InlineData("workflw is not a service. Did you mean workflow?", "--fault", "kill workflw at 20s")]
    [InlineData("stage 2 has 3 replicas of workflow, counted from 0.", "--fault", "kill workflow-3 at 20s")]
    [InlineData("stage 2 ends after 520 s.", "--fault", "kill workflow at 700s")]
    [InlineData("at=soon: expected seconds", "--fault", "kill workflow at soon")]
    [InlineData("redis is not a service. There are: ingestion", "--fault", "kill redis at 20s")]
    [InlineData("expected 'kill SERVICE", "--fault", "slow ingestion x2 at 20s")]
    [InlineData("expected 'kill SERVICE", "--fault", "slow delivery-1 x2 at 20s")]
    [InlineData("x=2000: expected a number from 0.01 to 1000", "--fault", "slow delivery x2000 at 20s")]
    [InlineData("expected 'kill SERVICE", "--fault", "fill delivery at 20s")]
    [InlineData("expected 'kill SERVICE", "--fault", "fail broker 20% at 20s")]
    [InlineData("%=101: expected a number from 1 to 100", "--fault", "fail package 101% at 20s")]
    [InlineData("expected 'kill SERVICE", "--fault", "slow package 20% at 20s")]
    [InlineData("expected 'kill SERVICE", "--fault", "pause workflow at 20s for 3s")]
    [InlineData("expected 'kill SERVICE", "--fault", "pause broker at 20s")]
    [InlineData("for=0s: expected seconds", "--fault", "kill workflow at 20s for 0s")]
    public Task Invalid_fault_is_rejected_in_one_line(string message, string option, string text) =>
        LabInMemory.AssertRejectedAsync(message, ["simulate", "2", option, text]);

    [Theory]
    [InlineData("pause broker at 20s for 10s", "pause broker at 25s for 10s")]
    [InlineData("kill workflow-1 at 20s", "kill workflow-1 at 300s for 10s")]
    [InlineData("slow delivery x2 at 25s for 5s", "slow delivery x3 at 20s for 6s")]
    public Task Overlapping_faults_of_one_kind_are_rejected(string one, string other) =>
        LabInMemory.AssertRejectedAsync("combine them", ["simulate", "2", "--fault", one, "--fault", other]);

    [Theory]
    [InlineData("pause broker at 30s for 5s", "pause broker at 20s for 10s")]
    [InlineData("kill workflow-1 at 20s for 10s", "kill workflow-2 at 25s for 10s")]
    public async Task Faults_can_follow_or_affect_another_replica(string one, string other) =>
        Assert.Equal(0, (await LabInMemory.InvokeAsync("simulate", "2", "--fault", one, "--fault", other)).ExitCode);

    private static async Task<double> FigureAsync(string figure, params string[] words) =>
        (await SimulateAsync(words))(figure);

    private static Task<Func<string, double>> SimulateAsync(params string[] words) =>
        LabInMemory.SimulateAsync([
            "2",
            "--set",
            "workflow.maxConcurrentCalls=4",
            "--set",
            "workflow.prefetchCount=160",
            .. words,
        ]);
}
