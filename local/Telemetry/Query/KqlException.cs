namespace DroneDelivery.Telemetry.Query;

/// <summary>A query that cannot be run: where, why, and what to write instead where that is known.</summary>
public sealed class KqlException(string reason, int line, int column, string? hint = null)
    : Exception($"line {line}, column {column}: {reason}{(hint is null ? "" : $" {hint}")}")
{
    /// <summary>From 1.</summary>
    public int Line { get; } = line;

    /// <summary>From 1.</summary>
    public int Column { get; } = column;

    public string Reason { get; } = reason;

    /// <summary>What to do about it.</summary>
    public string? Hint { get; } = hint;
}
