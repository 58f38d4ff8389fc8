namespace DroneDelivery.Telemetry.Ingest;

/// <summary>What a run takes in and where it keeps it.</summary>
public sealed class TelemetryStoreOptions
{
    /// <summary>Items with another key are refused; absent: every key is taken. One key per run keeps late items of an earlier run out.</summary>
    public string? InstrumentationKey { get; init; }

    /// <summary>Items that happened before this moment are refused; absent: none.</summary>
    public DateTimeOffset? Begin { get; init; }

    /// <summary>The file that keeps the run: one JSON object per line, compressed when the name ends with <c>.gz</c>. Absent: memory only.</summary>
    public string? File { get; init; }

    /// <summary>At most this long is a kept item away from the file. Default 1 s.</summary>
    public TimeSpan FlushInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Told, in a sentence, that the disk refuses the file, and that it takes it again. Absent: nobody is.</summary>
    public Action<string>? Notice { get; init; }
}
