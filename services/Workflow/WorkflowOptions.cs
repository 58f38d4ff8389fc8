using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Workflow;

internal sealed class WorkflowOptions
{
    public const string Section = "Workflow";

    /// <summary>Maximum number of concurrently handled messages.</summary>
    [Range(1, 1_000)]
    public int MaxConcurrentCalls { get; set; } = 20;

    /// <summary>
    /// Maximum number of locked messages in the buffer and in handlers; 0 for no buffer. If it is too large, locks expire in the buffer.
    /// </summary>
    [Range(0, 10_000)]
    public int PrefetchCount { get; set; } = 100;

    /// <summary>Time for which a message's lock is renewed while its handler runs; zero for never.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan MaxAutoLockRenewalDuration { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>Delay before the first retry of a failed message. It doubles with each retry, up to ten times.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:05:00")]
    public TimeSpan RetryDelay { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Time for which a message is retried after its first failure; zero to dead-letter it after each failure, including a failed Complete.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "14.00:00:00")]
    public TimeSpan RetryFor { get; set; } = TimeSpan.FromDays(1);

    /// <summary>Whether receiving pauses while the circuit to a service is open.</summary>
    public bool HoldDuringOutage { get; set; } = true;

    public SupervisorOptions Supervisor { get; set; } = new();
}
