namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>
/// The exception that is thrown when a store or the broker is unavailable. Clients receive 503 with Retry-After and a problem. Addresses,
/// driver messages, and advice are for operators.
/// </summary>
/// <param name="problemType">A URN, for example <c>urn:drone-delivery:redis-out-of-memory</c>.</param>
/// <param name="operatorMessage">The message for operators; <c>null</c> for the same message that clients receive.</param>
public sealed class DependencyUnavailableException(
    string problemType,
    string title,
    string detail,
    TimeSpan retryAfter,
    Exception? inner = null,
    string? operatorMessage = null
) : Exception(operatorMessage ?? detail, inner)
{
    public string ProblemType { get; } = problemType;

    public string Title { get; } = title;

    public string Detail { get; } = detail;

    public TimeSpan RetryAfter { get; } = retryAfter;

    /// <summary>Additional properties of the problem.</summary>
    public Dictionary<string, object?> Extensions { get; } = [];
}
