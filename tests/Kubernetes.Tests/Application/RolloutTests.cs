using System.Net;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Kubernetes.Tests.Application;

[Collection(RealProcesses.Name)]
[Trait("tier", "slow")]
public sealed class RolloutTests
{
    private const int Replicas = 3,
        Backlog = 250;

    /// <summary>Delivery with the latency of the lab: about 37 ms per response.</summary>
    private static readonly Dictionary<string, string> Slow = new()
    {
        [ProcessSettings.StartupHooks] = Repository.Assembly("LabAgent"),
        [ProcessSettings.Variable("Emulation:Latency:Mu")] = "3.6109",
        [ProcessSettings.Variable("Emulation:Latency:Sigma")] = "0.2627",
    };

    [Fact]
    public async Task Rollout_of_Workflow_under_load_loses_no_message()
    {
        // Slow handlers, full buffers, and a lock far longer than the test: a message that a stopped replica kept would
        // keep the queue from emptying.
        var manifests = await HelmChart.RenderAsync(
            "",
            "--set",
            "serviceBus.lockDuration=PT5M,services.workflow.settings.Workflow:MaxConcurrentCalls=4,"
                + "services.workflow.settings.Workflow:PrefetchCount=50"
        );
        await using var chart = await ChartOnThisMachine.StartAsync(
            manifests,
            Repository.Assembly,
            new() { [Service.Delivery.Name] = Slow }
        );
        await Task.WhenAll(Enumerable.Range(1, Replicas - 1).Select(_ => chart.AddAsync(Service.Workflow)));

        using var rollout = new CancellationTokenSource();
        var sending = SendAsync(chart, rollout.Token);
        await Eventually.GetAsync(chart.QueueAsync, queue => queue.Active > 0 && queue.Completed > 0);
        foreach (var old in chart.Replicas.Where(replica => replica.Workload == Service.Workflow.Name).ToList())
        {
            await chart.AddAsync(Service.Workflow); // maxSurge is 1 and maxUnavailable 0.
            await Eventually.GetAsync(chart.QueueAsync, queue => queue.Active > 0); // The buffers are full.
            Assert.Equal(0, await chart.StopAsync(old));
        }

        await rollout.CancelAsync();
        var accepted = await sending;
        var end = await Eventually.GetAsync(chart.QueueAsync, queue => queue.Queued == 0);
        Assert.Equal((accepted, 0L, 0L, 0L), (end.Completed, end.DeadLetter, end.LockLost, end.ExpiredLocks));
    }

    /// <returns>The number of accepted requests.</returns>
    private static async Task<long> SendAsync(ChartOnThisMachine chart, CancellationToken stopping)
    {
        var requests = DeliveryRequests.Load();
        long sent = 0;
        while (!stopping.IsCancellationRequested)
        {
            if ((await chart.QueueAsync()).Active > Backlog)
            {
                await Task.Delay(50, TestContext.Current.CancellationToken);
                continue;
            }

            await Task.WhenAll(
                Enumerable
                    .Range(0, 50)
                    .Select(async _ =>
                    {
                        using var body = requests.Create($"rollout-{Interlocked.Increment(ref sent)}");
                        using var answer = await chart.Http.PostAsync(
                            new Uri(chart.Url("ingestion"), "api/deliveryrequests"),
                            body,
                            TestContext.Current.CancellationToken
                        );
                        Assert.Equal(HttpStatusCode.Accepted, answer.StatusCode);
                    })
            );
        }

        return sent;
    }
}
