using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Tests.Runs;

/// <summary><c>./lab serve</c> and the k6 scripts that it prepares the application for.</summary>
[Collection(RealProcesses.Name)]
public sealed class ServeTests
{
    [Theory]
    [InlineData("4-parallel", "workflow.prefetchCount=0")]
    [InlineData("5-lock", "queue.lockDuration=60")]
    [Trait("tier", "nightly")]
    public async Task A_stage_fails_a_threshold_only_with_a_wrong_setting(string script, string wrong)
    {
        SmokeSummary.RequireK6();
        var before = MachineCpu.OfThisMachine.Read();

        var published = await RunAsync(script);
        var busy = MachineCpu.OfThisMachine.Read()?.Since(before!);
        var changed = await RunAsync(script, "--set", wrong);

        TestContext.Current.TestOutputHelper?.WriteLine(published.Output + changed.Output);
        Assert.True(changed.ExitCode == 99, $"{changed.ExitCode}: {changed.Output}");
        Assert.SkipWhen(
            published.ExitCode != 0 && busy > 0.8,
            $"Inconclusive: {100 * busy:0} % of the CPU was in use."
        );
        Assert.True(published.ExitCode == 0, $"{published.ExitCode}: {published.Output}");
    }

    [Fact]
    [Trait("tier", "slow")]
    public async Task A_script_reports_the_queue_while_serve_runs()
    {
        SmokeSummary.RequireK6();

        var result = await RunAsync(
            "2-cache",
            "--replicas",
            "ingestion=1,workflow=1,package=1,dronescheduler=1,delivery=1"
        );

        Assert.True(result.ExitCode is 0 or 99, result.Output);
        Assert.Matches(@"queue_incoming\.+: [1-9]", result.Output);
        Assert.Matches(@"queue_completed\.+: [1-9]", result.Output);
        Assert.Matches(@"in_out_plateau\n +[✓✗] 'value>=5'", result.Output);
        Assert.Matches(@"node_p95\n +[✓✗] 'value<=45'", result.Output);
    }

    [Fact]
    [Trait("tier", "slow")]
    public async Task Serve_rejects_what_it_cannot_prepare()
    {
        await using var lab = new LabProcess();
        using var http = Loopback.CreateClient();
        var load = await lab.TypeAsync("serve", "--set", "load.maxUsers=5");
        await lab.LaunchAsync("serve", "--port-offset", $"{lab.PortOffset}");
        var stages = new Uri($"http://127.0.0.1:{5080 + lab.PortOffset}/stages/");

        using var reading = await http.GetAsync(new Uri(stages, "reading"), Cancel);
        using var unknown = await http.PutAsync(new Uri(stages, "7?k=8"), content: null, Cancel);

        Assert.Equal(2, load.ExitCode);
        Assert.Contains("load.maxUsers belongs to the script", load.Error, StringComparison.Ordinal);
        Assert.Equal(StatusCodes.Status409Conflict, (int)reading.StatusCode);
        Assert.Equal(StatusCodes.Status400BadRequest, (int)unknown.StatusCode);
        Assert.StartsWith(
            "7 is not a stage.",
            await unknown.Content.ReadAsStringAsync(Cancel),
            StringComparison.Ordinal
        );
    }

    [Fact]
    [Trait("tier", "nightly")]
    public async Task Workflow_is_restarted_when_only_the_queue_changes()
    {
        await using var lab = new LabProcess();
        using var http = Loopback.CreateClient(seconds: 300);
        await lab.LaunchAsync("serve", "--port-offset", $"{lab.PortOffset}");

        var parallel = await PrepareAsync("4");
        var longLock = await PrepareAsync("5");

        Assert.Equal(parallel.Count, longLock.Count);
        Assert.Empty(parallel.Intersect(longLock));

        async Task<List<int>> PrepareAsync(string stage)
        {
            var address = new Uri($"http://127.0.0.1:{5080 + lab.PortOffset}/stages/{stage}?k=40");
            using var response = await http.PutAsync(address, content: null, Cancel);
            response.EnsureSuccessStatusCode();
            return [.. lab.State.Of(Service.Workflow).Select(replica => replica.ProcessId)];
        }
    }

    private static async Task<(int ExitCode, string Output, string Error)> RunAsync(
        string script,
        params string[] options
    )
    {
        await using var lab = new LabProcess();
        await lab.LaunchAsync(["serve", "--port-offset", $"{lab.PortOffset}", .. options]);
        return await Saying.RunAsync(
            "k6",
            "run",
            "--quiet",
            "--no-color",
            "--address",
            "",
            "-e",
            $"LAB=http://127.0.0.1:{5080 + lab.PortOffset}",
            K6Driver.ScriptPath(script)
        );
    }
}
