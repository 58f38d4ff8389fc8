using System.ComponentModel.DataAnnotations;
using DroneDelivery.Calls;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.Workflow.DeadLetters;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow;

/// <summary>What becomes of a message whose handling failed in a way that may pass: a store that is away, an answer that does
/// not come.</summary>
internal enum FailurePolicy
{
    /// <summary>The message goes back to the queue and is tried again, until the queue's MaxDeliveryCount.</summary>
    Abandon,

    /// <summary>
    /// Every failure dead-letters at once, a Complete that fails included. The application whose load tests the stages replay did so, and
    /// their numbers follow from it.
    /// </summary>
    DeadLetter,
}

/// <summary>Section <c>Workflow</c>: how messages are received and what becomes of failures.</summary>
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

    public FailurePolicy FailurePolicy { get; set; } = FailurePolicy.Abandon;

    /// <summary>
    /// Whether receiving pauses while the circuit to a service is open. Messages that meet an outage are postponed for
    /// <see cref="PostponeDelay"/>, which uses up none of their deliveries. False: they fail and take <see cref="FailurePolicy"/>'s way.
    /// </summary>
    public bool HoldDuringOutage { get; set; } = true;

    /// <summary>
    /// Wait before the first abandon of a message; doubled with each delivery, at most half of what is left of the lock. The queue would
    /// hand the message out again at once. The handler's place stays taken meanwhile, so a store that is away is not run over. Zero: none.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:05:00")]
    public TimeSpan AbandonDelay { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How long a postponed message waits in the queue: one that met an outage, or a cancel or a reschedule that comes before its delivery.
    /// The latter's waits are doubled ten times. It is given up after a hundred of them: a day, if the first is a second.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:05:00")]
    public TimeSpan PostponeDelay { get; set; } = TimeSpan.FromSeconds(1);

    public SupervisorOptions Supervisor { get; set; } = new();
}

/// <summary>Section <c>Workflow:Supervisor</c>.</summary>
internal sealed class SupervisorOptions
{
    /// <summary>
    /// Whether this process ends the requests of dead letters: it undoes them, records that they have failed and moves the message to
    /// <c>ServiceBus:FailedQueueName</c>. Otherwise dead letters stay where they are, and so does what their requests have made.
    /// </summary>
    public bool Enabled { get; set; } = true;
}

internal static class WorkflowOptionsSetup
{
    public static void AddWorkflowOptions(this IServiceCollection services) =>
        services
            .AddValidatedOptions<WorkflowOptions>(WorkflowOptions.Section)
            .Validate(
                options => options.PrefetchCount == 0 || options.PrefetchCount >= options.MaxConcurrentCalls,
                "Workflow:PrefetchCount: It would cap the concurrency below Workflow:MaxConcurrentCalls. Set it to 0 or at least as many."
            )
            // A handler makes one call at a time, so all of them together make at most as many to one service as there are handlers.
            .Validate<IOptions<ResilienceOptions>>(
                (options, calls) =>
                    calls.Value.ConcurrencyLimit
                    >= options.MaxConcurrentCalls
                        + (options.Supervisor.Enabled ? DeadLetterHandler.MaxConcurrentCalls : 0),
                $"Resilience:ConcurrencyLimit: It is below Workflow:MaxConcurrentCalls and the {DeadLetterHandler.MaxConcurrentCalls} of "
                    + "the supervisor, if it is enabled, so healthy calls would be refused. Raise it."
            );
}
