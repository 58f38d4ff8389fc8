namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>
/// The exception that is thrown when a store or the broker is unavailable. Clients receive 503 with Retry-After and a problem, without
/// addresses and driver messages.
/// </summary>
/// <param name="problemType">A URN, for example <c>urn:drone-delivery:redis-out-of-memory</c>.</param>
/// <param name="operatorMessage">The message for operators; <c>null</c> for <paramref name="detail"/>.</param>
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

    public Dictionary<string, object?> Extensions { get; } = [];
}
