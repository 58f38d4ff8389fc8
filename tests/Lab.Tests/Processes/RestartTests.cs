namespace DroneDelivery.Lab.Tests.Processes;

[Collection<EmulatedApplication>]
public sealed class RestartTests(EmulatedApplication shared)
{
    [Fact]
    public async Task Restarted_replica_uses_its_node_and_broker_keeps_messages()
    {
        var running = await shared.WithAsync("workflow.replicas=0");
        await running.PostAsync(20);
        await KillAndRestartAsync(running, "delivery-0");
        await KillAndRestartAsync(running, "broker");

        var nodes = running.Application.Nodes!;
        var before = nodes.ReadLateness().Answers;
        await new BackendCalls(running.Http).PutAsync(
            Service.Delivery,
            running.Plan.Url(Service.Delivery, 0),
            "again",
            Cancel
        );
        Assert.True(nodes.ReadLateness().Answers > before, "The request used no CPU of any node.");
        Assert.Equal(20, await WaitingAsync(running));
        await running.PostAsync(5);
        Assert.Equal(25, await WaitingAsync(running));
    }

    [Fact]
    public async Task CPU_time_of_the_application_includes_a_restarted_process()
    {
        var running = await shared.WithAsync();
        var target = new StartedApplication(running.Application, running.Http);
        var before = target.ReadCpu();
        await KillAndRestartAsync(running, "package-0");

        var ofNewProcess = running.Application[Service.Package, 0].Cpu;
        Assert.True(
            target.ReadCpu() - before >= ofNewProcess,
            $"The CPU time {target.ReadCpu()} is less than {before} + {ofNewProcess}."
        );
    }

    private static async Task KillAndRestartAsync(RunningApplication running, string process)
    {
        await running.Application.Processes.Single(it => it.Name == process).KillAsync();
        await running.Application.RestartAsync(process, Cancel);
    }

    private static async Task<int> WaitingAsync(RunningApplication running)
    {
        using var counters = JsonDocument.Parse(
            await running.Http.GetStringAsync(new Uri(running.Plan.Broker, "$counters"), Cancel)
        );
        return counters
            .RootElement.GetProperty("queues")
            .GetProperty("delivery-requests")
            .GetProperty("active")
            .GetInt32();
    }
}
