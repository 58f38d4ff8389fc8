using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Workflow.Calls;

/// <summary>The exception that is thrown when retrying a message is useless.</summary>
/// <param name="reason">The dead-letter reason, one word.</param>
internal sealed class PermanentFailureException(string reason, string description) : Exception(description)
{
    /// <summary>Reason for a cancellation or reschedule that is older than its delivery.</summary>
    public const string Obsolete = "Obsolete";

    public string Reason { get; } = reason;

    /// <summary>The problem with which a service rejected the request; <c>null</c> if none did.</summary>
    public ProblemDetails? Problem { get; init; }
}
