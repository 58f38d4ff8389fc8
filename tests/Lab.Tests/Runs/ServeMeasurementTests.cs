namespace DroneDelivery.Lab.Tests.Runs;

/// <summary>Stages that k6 runs on <c>./lab serve</c>, which other processes disturb.</summary>
[Collection(RealProcesses.Name)]
[Trait("tier", "nightly")]
public sealed class ServeMeasurementTests
{
    [Theory]
    [InlineData("4-parallel", "workflow.prefetchCount=0")]
    [InlineData("5-lock", "queue.lockDuration=60")]
    public async Task Stage_fails_a_threshold_only_with_a_wrong_setting(string script, string wrong)
    {
        SmokeSummary.RequireK6();
        var before = MachineCpu.OfThisMachine.Read();

        var published = await ServedScript.RunAsync(script);
        var busy = MachineCpu.OfThisMachine.Read()?.Since(before!);
        var changed = await ServedScript.RunAsync(script, "--set", wrong);

        TestContext.Current.TestOutputHelper?.WriteLine(published.Output + changed.Output);
        Assert.True(changed.ExitCode == 99, $"{changed.ExitCode}: {changed.Output}");
        Assert.SkipWhen(
            published.ExitCode != 0 && busy > 0.8,
            $"Inconclusive: {100 * busy:0} % of the CPU was in use."
        );
        Assert.True(published.ExitCode == 0, $"{published.ExitCode}: {published.Output}");
    }

    [Fact]
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
}
