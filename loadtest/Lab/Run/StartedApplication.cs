using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Run;

/// <summary>An application that the lab started.</summary>
internal sealed class StartedApplication(Application application, HttpClient http) : IStageTarget
{
    public IQueueCounts Counts { get; } = new BrokerCounts(http, application.Plan.Broker);

    public IReadOnlyList<Uri> Services { get; } =
    [.. Service.All.Where(service => service != Service.Workflow).SelectMany(application.Plan.Urls)];

    // Includes exited processes, whose CPU time still counts.
    private readonly HashSet<ChildProcess> _processes = [];

    public Sources Told => Sources.Everything;

    public Task<CrashException> Crashed => application.Crashed;

    public NodeReading? ReadNodes() => application.Nodes?.Read();

    public TimeSpan? ReadCpu()
    {
        _processes.UnionWith(application.Processes);
        return _processes.Aggregate(TimeSpan.Zero, (sum, process) => sum + process.Cpu);
    }

    public Task StopWorkAsync() => application.StopAsync(Service.Workflow);
}
