using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Workflow;

/// <summary>Section <c>Workflow</c>: receiving and retrying messages.</summary>
internal sealed class WorkflowOptions
{
    public const string Section = "Workflow";

    /// <summary>Maximum number of concurrently handled messages.</summary>
    [Range(1, 1_000)]
    public int MaxConcurrentCalls { get; set; } = 20;

    /// <summary>
    /// Maximum number of messages in the buffer and in handlers, whose locks run; 0 for no buffer. A value below <see
    /// cref="MaxConcurrentCalls"/> would limit the concurrency; with one that is too large, locks expire.
    /// </summary>
    [Range(0, 10_000)]
    public int PrefetchCount { get; set; } = 100;

    /// <summary>
    /// Time for which a message's lock is renewed while its handler runs; zero for never. Waiting messages aren't renewed.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan MaxAutoLockRenewalDuration { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>Delay before the first retry of a failed message. It doubles with each retry, up to ten times.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:05:00")]
    public TimeSpan RetryDelay { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Time for which a message is retried after its first failure. With zero, each failure dead-letters the message, including a failed
    /// Complete.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "14.00:00:00")]
    public TimeSpan RetryFor { get; set; } = TimeSpan.FromDays(1);

    /// <summary>Whether receiving pauses while the circuit to a service is open.</summary>
    public bool HoldDuringOutage { get; set; } = true;

    public SupervisorOptions Supervisor { get; set; } = new();
}
