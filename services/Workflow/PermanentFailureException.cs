namespace DroneDelivery.Workflow;

/// <summary>The message can never be handled, however often it is tried.</summary>
/// <param name="reason">One word, for the dead-letter queue.</param>
/// <param name="description">What was wrong with it, and who said so.</param>
/// <param name="problemType">Of the problem details with which a service has refused it.</param>
internal sealed class PermanentFailureException(string reason, string description, string? problemType = null) : Exception(description)
{
    public string? ProblemType { get; } = problemType;

    public string Reason { get; } = reason;
}
