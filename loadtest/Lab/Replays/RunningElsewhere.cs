using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Nodes;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Replays;

/// <summary>An application that others have started: the lab sees what its addresses tell, and cannot stop a process of it.</summary>
internal sealed class RunningElsewhere(IQueueCounts counts, IReadOnlyList<Uri> services, TargetQueue queue) : IStageTarget
{
    public IQueueCounts Counts => counts;

    public IReadOnlyList<Uri> Services => services;

    public Sources Told => counts.Told | (services.Count > 0 ? Sources.Errors | Sources.ErrorsOverTime : Sources.None);

    public Task<CrashException> Crashed { get; } = new TaskCompletionSource<CrashException>().Task;

    public NodeReading? ReadNodes() => null;

    public TimeSpan? ReadCpu() => null;

    public Task OpenAsync(CancellationToken cancellationToken) => queue.UpdateAsync(gives: true, cancellationToken);

    public Task StopWorkAsync() => Task.CompletedTask;
}
