using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Run;

/// <summary>An application that the lab didn't start and can't stop.</summary>
internal sealed class RunningElsewhere(IQueueCounts counts, IReadOnlyList<Uri> services) : IStageTarget
{
    public IQueueCounts Counts => counts;

    public IReadOnlyList<Uri> Services => services;

    public Sources Told => counts.Told | (services.Count > 0 ? Sources.Errors | Sources.ErrorsOverTime : Sources.None);

    public Task<CrashException> Crashed { get; } = new TaskCompletionSource<CrashException>().Task;

    public NodeReading? ReadNodes() => null;

    public TimeSpan? ReadCpu() => null;

    public Task StopWorkAsync() => Task.CompletedTask;
}
