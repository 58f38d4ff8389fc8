namespace DroneDelivery.Telemetry.Ingest;

/// <summary>What a run takes in and where it keeps it.</summary>
public sealed class TelemetryStoreOptions
{
    /// <summary>Items with another key are refused; absent: every key is taken. A key per run keeps out late items of another.</summary>
    public string? InstrumentationKey { get; init; }

    /// <summary>Items that happened before this moment are refused; absent: none.</summary>
    public DateTimeOffset? Begin { get; init; }

    /// <summary>The file that keeps the run: a JSON object per line, compressed if it ends with <c>.gz</c>. Absent: memory only.</summary>
    public string? File { get; init; }

    /// <summary>At most this long is a kept item away from the file. Default 1 s.</summary>
    public TimeSpan FlushInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>What memory keeps. Absent: everything.</summary>
    public TelemetryWindow? Window { get; init; }

    /// <summary>What the file keeps: half of the window at least. Absent: everything.</summary>
    public TelemetryWindow? FileWindow { get; init; }

    /// <summary>Told, in a sentence, that the disk refuses the file, and that it takes it again. Absent: nobody is.</summary>
    public Action<string>? Notice { get; init; }
}
