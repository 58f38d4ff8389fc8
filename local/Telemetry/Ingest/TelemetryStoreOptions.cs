namespace DroneDelivery.Telemetry.Ingest;

public sealed class TelemetryStoreOptions
{
    /// <summary>The instrumentation key of accepted items; <c>null</c> to accept all. A key per run rejects late items
    /// of other runs.</summary>
    public string? InstrumentationKey { get; init; }

    /// <summary>The earliest time of accepted items; <c>null</c> to accept all.</summary>
    public DateTimeOffset? Begin { get; init; }

    /// <summary>The file of the run, with one JSON object per line, compressed if it ends with <c>.gz</c>; <c>null</c>
    /// for memory only.</summary>
    public string? File { get; init; }

    /// <summary>The maximum time until an item is written to the file. The default is 1 s.</summary>
    public TimeSpan FlushInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The window in memory; <c>null</c> to keep everything.</summary>
    public TelemetryWindow? Window { get; init; }

    /// <summary>The window in the file, of which at least half is kept; <c>null</c> to keep everything.</summary>
    public TelemetryWindow? FileWindow { get; init; }

    /// <summary>Called with a message when writing fails, and when it recovers.</summary>
    public Action<string>? Notice { get; init; }
}
