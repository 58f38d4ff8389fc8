namespace DroneDelivery.Workflow.Receiving;

internal abstract record Settlement
{
    // Limit of Service Bus for descriptions, in characters.
    private const int MaxDescriptionLength = 4_096;

    public IDictionary<string, object> Properties { get; init; } = new Dictionary<string, object>();

    /// <summary>The error for telemetry; <c>null</c> for a postponed message, whose failed calls show the cause.</summary>
    public string? Error =>
        this switch
        {
            DeadLetter(var reason, _) => reason,
            Complete { IsDone: false } => "GivenUp",
            _ => null,
        };

    /// <param name="IsDone"><c>true</c> if the message was handled; <c>false</c> if it was given up.</param>
    public sealed record Complete(bool IsDone = true) : Settlement;

    /// <summary>Schedules a copy and completes the message, which counts no delivery.</summary>
    public sealed record Postpone(TimeSpan Delay) : Settlement;

    public sealed record DeadLetter(string Reason, string Description) : Settlement;

    public static string Truncate(string text) => text[..Math.Min(text.Length, MaxDescriptionLength)];
}
