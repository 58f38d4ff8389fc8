namespace DroneDelivery.Workflow;

/// <summary>The message can never be handled, however often it is tried.</summary>
/// <param name="reason">One word, for the dead-letter queue.</param>
/// <param name="description">What was wrong with it, and who said so.</param>
internal sealed class PermanentFailureException(string reason, string description) : Exception(description)
{
    public string Reason { get; } = reason;
}
