using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Workflow.Calls;

/// <summary>The message can never be handled, however often it is tried.</summary>
/// <param name="reason">One word, for the dead-letter queue.</param>
/// <param name="description">The error, and the service that reported it.</param>
internal sealed class PermanentFailureException(string reason, string description) : Exception(description)
{
    /// <summary>Reason of a cancel or a reschedule that is older than its delivery.</summary>
    public const string Obsolete = "Obsolete";

    public string Reason { get; } = reason;

    /// <summary>The answer of the service that has rejected the request.</summary>
    public ProblemDetails? Problem { get; init; }
}
