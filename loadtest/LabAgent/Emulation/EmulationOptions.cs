using System.ComponentModel.DataAnnotations;
using Microsoft.Extensions.Options;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>Section <c>Emulation</c>: what one machine lacks of a cluster. Absent means off; see
/// docs/internals/adr/0003-emulated-environment.md.</summary>
internal sealed class EmulationOptions
{
    public const string Section = "Emulation";

    /// <summary>Seed of every random sample. Absent: the process id, so that replicas differ.</summary>
    public int? Seed { get; set; }

    /// <summary>Whether calls to other services say when they were sent, so that their latency is that which this service
    /// sees. Only where all are on one machine.</summary>
    public bool TellsWhenSent { get; set; }

    [ValidateObjectMembers]
    public LatencyOptions? Latency { get; set; }

    [ValidateObjectMembers]
    public CpuGateOptions? CpuGate { get; set; }
}

/// <summary>Log-normal distribution of the time that an answer takes at least, in milliseconds.</summary>
internal sealed class LatencyOptions
{
    /// <summary>Mean of ln(ms); the median is e^Mu ms.</summary>
    [Required, Range(-5.0, 12.0)]
    public double? Mu { get; set; }

    /// <summary>Standard deviation of ln(ms).</summary>
    [Required, Range(0.0, 3.0)]
    public double? Sigma { get; set; }
}

/// <summary>The virtual node that this process runs on, held by the lab that started it.</summary>
internal sealed class CpuGateOptions
{
    /// <summary>Path of the lab's Unix domain socket.</summary>
    [Required]
    public string? Socket { get; set; }

    /// <summary>The name by which the lab knows this process: <c>workflow-0</c>.</summary>
    [Required, MaxLength(100)]
    public string? Replica { get; set; }

    /// <summary>CPU time of one request or message, in milliseconds.</summary>
    [Required, Range(0.001, 60_000.0)]
    public double? CostMilliseconds { get; set; }
}
