using System.Runtime.InteropServices;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>Stores the telemetry of one run, as columns in memory and as lines in a file, and creates snapshots for
/// queries. Thread-safe.</summary>
public sealed class TelemetryStore : IAsyncDisposable
{
    private const int RowsBetweenTrims = 1_000;

    private const int MaxErrors = 100;

    /// <summary>Each invalid item costs an exception, so the rest of an upload with more is skipped.</summary>
    private const int MaxBroken = 1_000;

    private readonly Lock _gate = new();
    private readonly RunTables _tables;
    private readonly HashSet<string> _declared = [];
    private readonly Dictionary<RefusalReason, long> _refused = [];
    private readonly TelemetryStoreOptions _options;
    private readonly SegmentWriter? _segment;
    private readonly TimeProvider _clock;
    private long _beginTicks;
    private long _kept,
        _samples,
        _uploadsRefused,
        _cutOff,
        _missing,
        _dropped;

    public TelemetryStore(TelemetryStoreOptions? options = null, TimeProvider? clock = null)
    {
        _options = options ?? new();
        _tables = new(_options.Window);
        _clock = clock ?? TimeProvider.System;
        BeginAt(_options.Begin ?? DateTimeOffset.MinValue);
        if (_options.File is { } file)
            _segment = new(file, _options.FlushInterval, _clock, _options.Notice, window: _options.FileWindow);
        if (_segment is { CutOff: true })
            _cutOff = 1;
    }

    public string? FileFailure => _segment?.Failure;

    public TelemetryWindow? Window => _options.Window;

    public TelemetryCounts Counts
    {
        get
        {
            lock (_gate)
            {
                var refused = new SortedDictionary<RefusalReason, long>(_refused);
                return new(
                    _kept + refused.Values.Sum(),
                    _kept,
                    refused,
                    _uploadsRefused,
                    _samples,
                    _segment?.Unsaved ?? _missing,
                    _cutOff
                )
                {
                    Dropped = _dropped,
                };
            }
        }
    }

    /// <summary>Loads a run from its file, for queries.</summary>
    public static async Task<TelemetryStore> LoadAsync(string file, CancellationToken cancellationToken = default)
    {
        var store = new TelemetryStore();
        foreach (var part in SegmentReader.PartsOf(file))
            store._cutOff += await SegmentReader.ReadAsync(part, store.Replay, cancellationToken) ? 1 : 0;
        return store;
    }

    /// <summary>Rejects items from before this time from now on. Replaces <see
    /// cref="TelemetryStoreOptions.Begin"/>.</summary>
    public void BeginAt(DateTimeOffset begin) => Interlocked.Exchange(ref _beginTicks, begin.UtcTicks);

    /// <param name="body">JSON objects or an array of them, uncompressed.</param>
    /// <param name="collector">The host and port of this collector. Items that report calls to it are excluded.</param>
    public IngestResult Ingest(ReadOnlyMemory<byte> body, string? collector = null)
    {
        var reader = new EnvelopeReader(body, MaxBroken);
        var errors = new List<ItemError>();
        var received = 0;
        var accepted = 0;
        var early = 0;
        for (; reader.Next(out var item, out var error); received++)
        {
            var refusal = error is not null ? Refuse(RefusalReason.Malformed, error) : Keep(item, collector);
            if (refusal is not { Message: { } message, Reason: var reason })
                accepted++;
            else if (errors.Count < MaxErrors || reader.HasStopped)
                errors.Add(new(received, 400, message, reason));
            if (refusal is { Reason: RefusalReason.BeforeTheRun })
                early++;
        }
        return new(received, accepted, errors) { Early = early };
    }

    /// <summary>Returns a table of the process itself, in memory and in the run's file.</summary>
    public SampleTable Define(TableSchema schema)
    {
        lock (_gate)
        {
            var table = _tables.Define(schema);
            if (_declared.Add(schema.Name))
                _segment?.Declare(SampleTable.Declaration(schema));
            return new(this, table);
        }
    }

    public TelemetrySnapshot Snapshot()
    {
        lock (_gate)
            return _tables.Snapshot();
    }

    public Task CopyToAsync(Stream destination, CancellationToken cancellationToken) =>
        _segment?.CopyToAsync(destination, cancellationToken) ?? Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        if (_segment is not null)
            await _segment.DisposeAsync();
    }

    internal void CountRefusedUpload() => Interlocked.Increment(ref _uploadsRefused);

    internal void KeepSample(Table table, JsonElement line)
    {
        var row = SampleLine.Row(table.Schema, line.GetProperty("row"));
        lock (_gate)
        {
            table.Append(row);
            _samples++;
            _segment?.Append(JsonMarshal.GetRawUtf8Value(line));
        }
    }

    private Refusal? Keep(JsonElement json, string? collector)
    {
        try
        {
            var item = new Envelope(json);
            return RefusalOf(json, item)
                ?? (item.IsCallTo(collector) ? Refuse(RefusalReason.CollectorCall) : Write(json, item));
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // A string that isn't UTF-8, or a list of another type.
            return Refuse(RefusalReason.Malformed, $"not a telemetry item: {exception.Message}");
        }
    }

    private Refusal? RefusalOf(JsonElement json, Envelope item)
    {
        if (item.Time is not { } time)
            return Refuse(RefusalReason.Malformed, "'time' is missing or is not ISO 8601.");
        if (json.TryGetProperty("table", out _)) // In the file, it would look like a row of such a table.
            return Refuse(RefusalReason.Malformed, "'table' is not a property of an item.");
        if (item.BaseType.Length == 0)
            return Refuse(RefusalReason.Malformed, "'data.baseType' is missing.");
        var key = _options.InstrumentationKey;
        if (key is not null && !item.InstrumentationKey.Equals(key, StringComparison.OrdinalIgnoreCase))
            return Refuse(RefusalReason.OtherInstrumentationKey, "'iKey' is not the instrumentation key of this run.");
        if (Interlocked.Read(ref _beginTicks) is var begin && time.UtcTicks < begin)
        {
            return Refuse(
                RefusalReason.BeforeTheRun,
                $"'time' is before the run, which began at {new DateTimeOffset(begin, TimeSpan.Zero):O}."
            );
        }
        return null;
    }

    private Refusal? Write(JsonElement json, Envelope item)
    {
        if (_tables.Rows.Of(item) is not { } rows)
        {
            return Refuse(RefusalReason.UnknownType, $"'{item.BaseType}' is not a supported type of telemetry.");
        }
        var line = JsonMarshal.GetRawUtf8Value(json);
        if (_segment is not null && line.ContainsAny((byte)'\n', (byte)'\r'))
            line = JsonSerializer.SerializeToUtf8Bytes(json);
        lock (_gate)
        {
            foreach (var row in rows)
                row.Append();
            _segment?.Append(line);
            if (++_kept % RowsBetweenTrims == 0 && _options.Window is { } window)
                _dropped += _tables.Trim(window, _clock.GetUtcNow());
            return null;
        }
    }

    private Refusal Refuse(RefusalReason reason, string? message = null)
    {
        lock (_gate)
            _refused[reason] = _refused.GetValueOrDefault(reason) + 1;
        return new(reason, message);
    }

    private void Replay(ReadOnlyMemory<byte> lines)
    {
        var reader = new EnvelopeReader(lines, maxBroken: int.MaxValue);
        while (reader.Next(out var line, out var error))
        {
            if (error is not null)
                Refuse(RefusalReason.Malformed);
            else if (line.TryGetProperty("table", out var table))
                ReplaySample(line, table);
            else
                Keep(line, collector: null);
        }
    }

    private void ReplaySample(JsonElement line, JsonElement name)
    {
        try
        {
            if (SampleLine.Declaration(line) is { } declared)
            {
                Define(declared);
            }
            else if (_tables.Find(name.GetString()!) is { } table)
            {
                KeepSample(table, line);
                if (table.Schema.Name == SampleTables.Gaps.Name)
                    _missing += line.GetProperty("row").GetProperty("lines").GetInt64();
            }
            else
            {
                Refuse(RefusalReason.UnknownType);
            }
        }
        catch (Exception exception)
            when (exception
                    is JsonException
                        or FormatException
                        or OverflowException
                        or KeyNotFoundException
                        or ArgumentException
                        or InvalidOperationException
            )
        {
            Refuse(RefusalReason.Malformed);
        }
    }

    /// <param name="Message">The message for the sender; <c>null</c> if it isn't an error.</param>
    private readonly record struct Refusal(RefusalReason Reason, string? Message);
}
