namespace DroneDelivery.Telemetry.Query;

/// <summary>The exception that is thrown for an invalid query, with the position, the reason, and a hint if available.</summary>
public sealed class KqlException(string reason, int line, int column, string? hint = null)
    : Exception($"line {line}, column {column}: {reason}{(hint is null ? "" : $" {hint}")}")
{
    /// <summary>The line, from 1.</summary>
    public int Line { get; } = line;

    /// <summary>The column, from 1.</summary>
    public int Column { get; } = column;

    public string Reason { get; } = reason;

    /// <summary>A suggestion; <c>null</c> if there is none.</summary>
    public string? Hint { get; } = hint;
}
