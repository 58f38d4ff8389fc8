namespace DroneDelivery.Workflow.Receiving;

/// <summary>How a message leaves its handler.</summary>
internal abstract record Settlement
{
    // Characters of a description that Service Bus takes; a longer one fails the call.
    private const int LongestText = 4_096;

    /// <summary>Application properties that the message has from then on.</summary>
    public IDictionary<string, object> Properties { get; init; } = new Dictionary<string, object>();

    /// <summary>
    /// The error of the handling that telemetry records. A postponed message has none: it has lost nothing, and the failed calls show the
    /// cause.
    /// </summary>
    public string? Error =>
        this switch
        {
            DeadLetter(var reason, _) => reason,
            Complete { IsDone: false } => "GivenUp",
            _ => null,
        };

    /// <param name="IsDone">Whether the message was handled, and not given up.</param>
    public sealed record Complete(bool IsDone = true) : Settlement;

    /// <summary>A copy is scheduled, and the message completed. It occupies no handler and uses up no delivery.</summary>
    /// <param name="Delay">Until the copy is delivered.</param>
    public sealed record Postpone(TimeSpan Delay) : Settlement;

    public sealed record DeadLetter(string Reason, string Description) : Settlement;

    public static string Cut(string text) => text[..Math.Min(text.Length, LongestText)];
}
