using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Run;

/// <summary>The target of a stage: an application that the lab started, or one that runs elsewhere.</summary>
internal interface IStageTarget
{
    IQueueCounts Counts { get; }

    /// <summary>The replicas whose 5xx responses are counted; empty if unknown.</summary>
    IReadOnlyList<Uri> Services { get; }

    /// <summary>The available data, including that of <see cref="Counts"/> and <see cref="Services"/>.</summary>
    Sources Told { get; }

    Task<CrashException> Crashed { get; }

    NodeReading? ReadNodes();

    /// <summary>Returns the real CPU time so far; <c>null</c> if unknown.</summary>
    TimeSpan? ReadCpu();

    /// <summary>Stops all message handling, if possible, so that no message is in transit.</summary>
    Task StopWorkAsync();
}
