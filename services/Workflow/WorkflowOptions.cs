using System.ComponentModel.DataAnnotations;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Resilience;
using DroneDelivery.Workflow.Supervising;
using DroneDelivery.Workflow.Watching;
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
internal sealed class WorkflowOptions : IValidatableObject
{
    public const string Section = "Workflow";

    /// <summary>Messages handled at the same time.</summary>
    [Range(1, 1_000)]
    public int MaxConcurrentCalls { get; set; } = 20;

    /// <summary>
    /// Messages that this process may hold, in its buffer and its handlers, locks ticking; 0: no buffer. A number below
    /// <see cref="MaxConcurrentCalls"/> would cap the concurrency, one over the limit of <see cref="PrefetchAdvice"/> loses locks.
    /// </summary>
    [Range(0, 10_000)]
    public int PrefetchCount { get; set; } = 100;

    /// <summary>How long a message's lock is renewed while its handler runs; zero: never. Messages that wait are not renewed.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "1.00:00:00")]
    public TimeSpan MaxAutoLockRenewalDuration { get; set; } = TimeSpan.FromMinutes(5);

    public FailurePolicy FailurePolicy { get; set; } = FailurePolicy.Abandon;

    /// <summary>
    /// Whether receiving stops while a service that Workflow calls is away, and starts again when that service answers. Messages in hand
    /// are put off for <see cref="PostponeDelay"/>, which uses up none of their deliveries. False: they are received, fail and take
    /// <see cref="FailurePolicy"/>'s way.
    /// </summary>
    public bool HoldDuringOutage { get; set; } = true;

    /// <summary>
    /// Wait before the first abandon of a message; doubled with each delivery, at most half of what is left of the lock. The queue would
    /// hand the message out again at once. The handler's place stays taken meanwhile, so a store that is away is not run over. Zero: none.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:05:00")]
    public TimeSpan AbandonDelay { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How long a cancel or a reschedule that comes before its delivery is put off at first; doubled each time, ten times at most. It waits
    /// in the queue and takes no handler's place.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:05:00")]
    public TimeSpan PostponeDelay { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>The queue's lock duration, for <see cref="PrefetchAdvice"/>. Absent: read from the messages.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:05:00")]
    public TimeSpan? LockDuration { get; set; }

    /// <summary>How long a handler is expected to take, for <see cref="PrefetchAdvice"/>. Absent: measured.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:05:00")]
    public TimeSpan? ServiceTime { get; set; }

    /// <summary>The process reports itself dead when handlers run and none of them began or ended for this long.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan StallLimit { get; set; } = TimeSpan.FromMinutes(10);

    public SupervisorOptions Supervisor { get; set; } = new();

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        if (PrefetchCount != 0 && PrefetchCount < MaxConcurrentCalls)
        {
            yield return new ValidationResult(
                $"{PrefetchCount} would cap the concurrency below MaxConcurrentCalls = {MaxConcurrentCalls}. "
                    + $"Set it to 0 or to at least {MaxConcurrentCalls}.",
                [nameof(PrefetchCount)]);
        }
    }
}

internal static class WorkflowOptionsRegistration
{
    public static void AddWorkflowOptions(this IServiceCollection services)
    {
        services.AddValidatedOptions<WorkflowOptions>(WorkflowOptions.Section);
        services.AddSingleton<IValidateOptions<WorkflowOptions>, CallsFitIntoThePipeline>();
    }

    /// <summary>A handler makes one call at a time, so all handlers together make at most MaxConcurrentCalls to one service.</summary>
    private sealed class CallsFitIntoThePipeline(IOptions<ResilienceOptions> resilience) : IValidateOptions<WorkflowOptions>
    {
        public ValidateOptionsResult Validate(string? name, WorkflowOptions options) =>
            resilience.Value.ConcurrencyLimit >= options.MaxConcurrentCalls
                ? ValidateOptionsResult.Success
                : ValidateOptionsResult.Fail(
                    $"Resilience:ConcurrencyLimit: {resilience.Value.ConcurrencyLimit} is below " +
                    $"Workflow:MaxConcurrentCalls = {options.MaxConcurrentCalls}, " +
                    $"so healthy calls would be refused. Raise it to at least {options.MaxConcurrentCalls}.");
    }
}
