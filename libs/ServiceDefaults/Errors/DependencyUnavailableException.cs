namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>
/// Something that this service needs (a store, the broker) does not answer or refuses for now. The client gets 503 with Retry-After
/// and a problem whose type tells the causes apart.
/// </summary>
public sealed class DependencyUnavailableException(string problemType, string title, string detail, TimeSpan retryAfter, Exception? inner = null)
    : Exception(detail, inner)
{
    /// <summary>A URN, for example <c>urn:drone-delivery:redis-out-of-memory</c>.</summary>
    public string ProblemType { get; } = problemType;

    public string Title { get; } = title;

    public TimeSpan RetryAfter { get; } = retryAfter;

    /// <summary>Members that the problem has beside the standard ones, for programs that read it.</summary>
    public Dictionary<string, object?> Extensions { get; } = [];
}
