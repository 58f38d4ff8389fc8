namespace DroneDelivery.Telemetry.Query;

/// <summary>The exception that is thrown when a query is invalid, with the position, the reason, and a hint if
/// available.</summary>
public sealed class KqlException(string reason, int line, int column, string? hint = null)
    : Exception($"line {line}, column {column}: {reason}{(hint is null ? "" : $" {hint}")}")
{
    /// <summary>The one-based line.</summary>
    public int Line { get; } = line;

    /// <summary>The one-based column.</summary>
    public int Column { get; } = column;

    public string Reason { get; } = reason;

    public string? Hint { get; } = hint;
}
