using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Workflow;

/// <summary>Section <c>Workflow</c>: how messages are received, and how long a failed one is retried.</summary>
internal sealed class WorkflowOptions
{
    public const string Section = "Workflow";

    /// <summary>Messages handled at the same time.</summary>
    [Range(1, 1_000)]
    public int MaxConcurrentCalls { get; set; } = 20;

    /// <summary>
    /// Messages that this process may hold, in its buffer and its handlers, locks ticking; 0: no buffer. A number below
    /// <see cref="MaxConcurrentCalls"/> would cap the concurrency, one that is too large loses locks.
    /// </summary>
    [Range(0, 10_000)]
    public int PrefetchCount { get; set; } = 100;

    /// <summary>How long a message's lock is renewed while its handler runs; zero: never. Messages that wait are not renewed.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan MaxAutoLockRenewalDuration { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>Delay before the first retry of a message that failed. It doubles each time, up to ten times.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:05:00")]
    public TimeSpan RetryDelay { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How long a message is retried, from its first failure on. Zero: never. Then every failure dead-letters at once, a Complete that
    /// fails included.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "14.00:00:00")]
    public TimeSpan RetryFor { get; set; } = TimeSpan.FromDays(1);

    /// <summary>Whether receiving pauses while the circuit to a service is open.</summary>
    public bool HoldDuringOutage { get; set; } = true;

    public SupervisorOptions Supervisor { get; set; } = new();
}
