using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Run;

/// <summary>What a stage is played on: the application that the lab has started, or one that runs elsewhere.</summary>
internal interface IStageTarget
{
    IQueueCounts Counts { get; }

    /// <summary>Base addresses of every replica whose 5xx answers are counted; none: they are not known.</summary>
    IReadOnlyList<Uri> Services { get; }

    /// <summary>What is known of it, <see cref="Counts"/> and <see cref="Services"/> included.</summary>
    Sources Told { get; }

    /// <summary>Completes when a part of it ended by itself.</summary>
    Task<CrashException> Crashed { get; }

    NodeReading? ReadNodes();

    /// <summary>Real CPU time so far of everything that belongs to it; null where it runs on another machine.</summary>
    TimeSpan? ReadCpu();

    /// <summary>Ends all work on messages, where that is possible: none is on its way between two states while they are counted.</summary>
    Task StopWorkAsync();
}
