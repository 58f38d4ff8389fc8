using System.ComponentModel.DataAnnotations;
using Microsoft.Extensions.Options;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>
/// Section <c>Emulation</c>: properties of a cluster that one machine lacks. Each is off by default; see
/// docs/internals/adr/0003-emulated-environment.md.
/// </summary>
internal sealed class EmulationOptions
{
    public const string Section = "Emulation";

    /// <summary>The seed of random samples; by default the process id, so that replicas differ.</summary>
    public int? Seed { get; set; }

    /// <summary>Whether calls to other services carry their send time. Requires all services on one machine.</summary>
    public bool TellsWhenSent { get; set; }

    [ValidateObjectMembers]
    public LatencyOptions? Latency { get; set; }

    [ValidateObjectMembers]
    public CpuGateOptions? CpuGate { get; set; }
}

/// <summary>A log-normal distribution of the minimum response time: mean and standard deviation of ln(ms).</summary>
internal sealed class LatencyOptions
{
    [Required, Range(-5.0, 12.0)]
    public double? Mu { get; set; }

    [Required, Range(0.0, 3.0)]
    public double? Sigma { get; set; }
}

/// <summary>The virtual node that this process runs on.</summary>
internal sealed class CpuGateOptions
{
    [Required]
    public string? Socket { get; set; }

    /// <summary>The name of this replica, for example <c>workflow-0</c>.</summary>
    [Required, MaxLength(100)]
    public string? Replica { get; set; }

    /// <summary>The CPU time of one request or message.</summary>
    [Required, Range(0.001, 60_000.0)]
    public double? CostMilliseconds { get; set; }
}
