using System.Net;
using DroneDelivery.LabAgent;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.LabAgent;

public sealed class CpuGateTests
{
    [Fact]
    public async Task API_requests_wait_for_their_CPU_time_and_probes_do_not()
    {
        await using var lab = new FakeLab();
        await using var service = await StartAsync(lab);

        var calls = Enumerable.Range(0, 30).Select(_ => service.Client.GetAsync("/api/work", Cancelled)).ToList();
        await Eventually.TrueAsync(() => lab.Asked == 30);
        Assert.Equal(HttpStatusCode.OK, await service.Client.StatusAsync("/health/ready"));
        Assert.Equal((30, 0), (lab.Asked, service.Worked));
        for (var i = 0; i < 10; i++)
            lab.EndOne();
        await Eventually.TrueAsync(() => calls.Count(call => call.IsCompleted) == 10);
        Assert.Equal(10, service.Worked);
        for (var i = 0; i < 20; i++)
            lab.EndOne();

        Assert.All(await Task.WhenAll(calls), answer => Assert.Equal(HttpStatusCode.OK, answer.StatusCode));
    }

    [Fact]
    public async Task CPU_time_counts_toward_the_emulated_latency()
    {
        var time = new ManualTimeProvider();
        await using var lab = new FakeLab();
        await using var service = await StartAsync(
            lab,
            time,
            new()
            {
                ["Emulation:Latency:Mu"] = FormattableString.Invariant($"{Math.Log(100)}"),
                ["Emulation:Latency:Sigma"] = "0",
            }
        );

        var call = service.Client.GetAsync("/api/work", Cancelled);
        await Eventually.TrueAsync(() => lab.Asked == 1);
        time.Advance(TimeSpan.FromMilliseconds(70));
        lab.EndOne();
        await Eventually.TrueAsync(() => service.Worked == 1);
        var left = TimeSpan.FromMilliseconds(30);
        await Eventually.TrueAsync(() => time.HasTimerDueIn(left));
        Assert.False(call.IsCompleted);
        time.Advance(left);

        Assert.Equal(HttpStatusCode.OK, (await call).StatusCode);
    }

    [Fact]
    public async Task Waiting_requests_return_503_when_the_lab_exits()
    {
        await using var lab = new FakeLab();
        await using var service = await StartAsync(lab);
        var calls = Enumerable.Range(0, 3).Select(_ => service.Client.GetAsync("/api/work", Cancelled)).ToList();
        await Eventually.TrueAsync(() => lab.Asked == 3);

        await lab.EndAsync();

        foreach (var answer in await Task.WhenAll(calls))
            await answer.ReadUnavailableAsync("cpu-gate-lost");

        await Eventually.TrueAsync(() => service.IsStopping);
        Assert.Equal(0, service.Worked);
        Assert.Contains(lab.SocketPath, Assert.Single(service.Logs.With("Critical")), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public async Task Exit_code_distinguishes_a_lost_lab_from_a_stop(bool labGoes, int exitCode)
    {
        using var folder = new TemporaryFolder();
        await using var lab = new FakeLab();
        await using var process = ServiceProcess.Start(
            "Package",
            folder.SqliteSettings.And(lab.Settings("package-0", 6)),
            inLab: true
        );
        await process.ReadyAsync();

        await (labGoes ? lab.EndAsync() : process.StopAsync());

        Assert.Equal(exitCode, await process.ExitCodeAsync());
    }

    [Fact]
    public async Task Process_does_not_start_without_a_lab_at_the_socket()
    {
        await using var lab = new FakeLab();

        var line = await ServiceProcess.RejectionAsync(
            "Package",
            lab.Settings("package-0", 6).And("Emulation:CpuGate:Socket", "/nowhere/s"),
            inLab: true
        );

        Assert.Contains("Emulation:CpuGate: There is no CPU gate at /nowhere/s", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Message_makes_no_calls_before_its_CPU_time_ends()
    {
        await using var lab = new FakeLab();
        await using var workflow = await WorkflowAsync(lab.Settings("workflow-1", 60));
        Assert.Equal((1, 60_000, "workflow-1"), lab.Greeting);

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        await Eventually.TrueAsync(() => lab.Asked == 1);
        Assert.Empty(workflow.Backends.Calls);
        lab.EndOne();

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        Assert.Equal((1, 3), (lab.Asked, workflow.Backends.Calls.Count));
    }

    [Fact]
    public async Task Waiting_messages_are_not_handled_when_the_lab_exits()
    {
        await using var lab = new FakeLab();
        await using var workflow = await WorkflowAsync(lab.Settings("workflow-0", 60));
        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));
        await Eventually.TrueAsync(() => lab.Asked == 1);

        await lab.EndAsync();

        await Eventually.TrueAsync(() =>
            workflow.Host.Logs.Lines.Any(line => line.StartsWith("Critical", StringComparison.Ordinal))
        );
        await workflow.Host.DisposeAsync();
        // The SDK may lose a message that arrives while its processor stops, so this message may stay locked until its
        // lock expires.
        var counts = workflow.Queue.Counts;
        Assert.Equal(0, counts.DeadLettered);
        Assert.Equal(1, counts.Active + counts.Locked + counts.Scheduled);
        Assert.Empty(workflow.Backends.Calls);
    }

    private static Task<WorkflowUnderTest> WorkflowAsync(Dictionary<string, string?> settings) =>
        WorkflowUnderTest.StartAsync(settings, add: services => services.AddLab());

    private static Task<LabService> StartAsync(
        FakeLab lab,
        TimeProvider? time = null,
        Dictionary<string, string?>? more = null
    ) => LabService.StartAsync(time, lab.Settings("delivery-2", 20.5).And(more ?? []));
}
