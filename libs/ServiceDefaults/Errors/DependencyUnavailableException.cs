namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>
/// Something that this service needs (a store, the broker) does not answer or refuses for now. The client gets 503 with Retry-After
/// and a problem whose type tells the causes apart. Addresses, drivers' messages and advice are for logs and telemetry: they go into
/// <paramref name="inside"/>.
/// </summary>
/// <param name="problemType">A URN, for example <c>urn:drone-delivery:redis-out-of-memory</c>.</param>
/// <param name="title">What is wrong, in a few words, for the client.</param>
/// <param name="detail">What is wrong, for the client.</param>
/// <param name="inside">What is wrong, for the operator: the exception's message. Null: the same as for the client.</param>
public sealed class DependencyUnavailableException(
    string problemType,
    string title,
    string detail,
    TimeSpan retryAfter,
    Exception? inner = null,
    string? inside = null
) : Exception(inside ?? detail, inner)
{
    public string ProblemType { get; } = problemType;

    public string Title { get; } = title;

    public string Detail { get; } = detail;

    public TimeSpan RetryAfter { get; } = retryAfter;

    /// <summary>Members that the problem has beside the standard ones, for programs that read it.</summary>
    public Dictionary<string, object?> Extensions { get; } = [];
}
