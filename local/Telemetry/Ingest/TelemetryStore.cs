using System.Collections.Concurrent;
using System.Text;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>
/// The telemetry of one run: takes uploads in, keeps them as columns in memory and as lines in a file, and hands out snapshots to query.
/// Thread-safe. An upload is read on its sender's request, so the answer tells the truth about every item and nothing waits in a queue
/// where it could be lost.
/// </summary>
public sealed class TelemetryStore : IAsyncDisposable
{
    private const int BetweenTrims = 1_000;

    /// <summary>Errors that the answer to an upload lists.</summary>
    private const int MaxErrors = 100;

    /// <summary>Broken items after which an upload is not read further: each costs an exception.</summary>
    private const int MaxBroken = 1_000;

    private readonly Lock _gate = new();
    private readonly RunTables _tables;
    private readonly HashSet<string> _declared = [];
    private readonly ConcurrentBag<Envelope> _envelopes = [];
    private readonly long[] _refused = new long[Enum.GetValues<RefusalReason>().Length];
    private readonly TelemetryStoreOptions _options;
    private readonly byte[]? _key;
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
        _key = _options.InstrumentationKey is { } key ? Encoding.UTF8.GetBytes(key) : null;
        if (_options.File is { } file)
            _segment = new(file, _options.FlushInterval, _clock, _options.Notice, window: _options.FileWindow);
        if (_segment is { CutOff: true })
            _cutOff = 1;
    }

    /// <summary>The sentence with which the disk refuses the run's file; null as long as it takes it.</summary>
    public string? FileFailure => _segment?.Failure;

    /// <summary>Null: everything is kept in memory.</summary>
    public TelemetryWindow? Window => _options.Window;

    public TelemetryCounts Counts
    {
        get
        {
            lock (_gate)
            {
                var refused = Enum.GetValues<RefusalReason>()
                    .Where(reason => _refused[(int)reason] > 0)
                    .ToDictionary(reason => reason, reason => _refused[(int)reason]);
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

    /// <summary>Loads a run from its file, to be queried.</summary>
    public static async Task<TelemetryStore> LoadAsync(string file, CancellationToken cancellationToken = default)
    {
        var store = new TelemetryStore();
        foreach (var part in SegmentReader.PartsOf(file))
            store._cutOff += await SegmentReader.ReadAsync(part, store.Replay, cancellationToken) ? 1 : 0;
        return store;
    }

    /// <summary>Refuses items that happened before this moment, from now on; replaces <see cref="TelemetryStoreOptions.Begin"/>.</summary>
    public void BeginAt(DateTimeOffset begin) => Interlocked.Exchange(ref _beginTicks, begin.UtcTicks);

    /// <summary>Takes in one upload, uncompressed.</summary>
    /// <param name="body">JSON objects one after the other, or one array of them. Not kept.</param>
    /// <param name="collector">Host and port by which the sender calls this collector: calls to it are left out.</param>
    public IngestResult Ingest(ReadOnlyMemory<byte> body, string? collector = null) =>
        Ingest(body, collector, MaxBroken);

    private IngestResult Ingest(ReadOnlyMemory<byte> body, string? collector, int maxBroken)
    {
        var reader = new EnvelopeReader(body, maxBroken);
        if (!_envelopes.TryTake(out var envelope))
            envelope = new();
        var errors = new List<ItemError>();
        var (received, accepted, early) = (0, 0, 0);
        for (; reader.Next(envelope, out var error); received++)
        {
            var refusal = error is not null ? Refuse(RefusalReason.Malformed, error) : Keep(envelope, collector);
            if (refusal is not { Message: { } message, Reason: var reason })
                accepted++;
            else if (errors.Count < MaxErrors || reader.HasGivenUp)
                errors.Add(new(received, 400, message, reason));
            if (refusal is { Reason: RefusalReason.BeforeTheRun })
                early++;
        }
        _envelopes.Add(envelope);
        return new(received, accepted, errors) { Early = early };
    }

    /// <summary>A table of the process's own, in memory and in the run's file.</summary>
    /// <exception cref="ArgumentException">There is one of that name with other columns.</exception>
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

    /// <summary>Writes the run's file as it is now, compressed if it is. Nothing where the store has none.</summary>
    public Task CopyToAsync(Stream destination, CancellationToken cancellationToken) =>
        _segment?.CopyToAsync(destination, cancellationToken) ?? Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        if (_segment is not null)
            await _segment.DisposeAsync();
    }

    internal void CountRefusedUpload() => Interlocked.Increment(ref _uploadsRefused);

    internal void KeepSample(Table table, ReadOnlyMemory<byte> line)
    {
        using var document = JsonDocument.Parse(line);
        lock (_gate)
        {
            SampleLine.AppendTo(table, document.RootElement.GetProperty("row"));
            _samples++;
            _segment?.Append(line.Span);
        }
    }

    /// <returns>Null: it was kept. The collector's own calls are no error and have no message.</returns>
    private Refusal? Keep(Envelope item, string? collector)
    {
        if (item.Time is not { } time)
            return Refuse(RefusalReason.Malformed, "'time' is missing or is not ISO 8601.");
        if (SampleLine.Is(item.Body[item.Raw].Span)) // in the file it would be a row of a table that only this process writes
            return Refuse(RefusalReason.Malformed, "'table' is no part of an item.");
        if (!item.Has(EnvelopeField.BaseType))
            return Refuse(RefusalReason.Malformed, "'data.baseType' is missing.");
        if (_key is not null && !Ascii.EqualsIgnoreCase(item[EnvelopeField.InstrumentationKey], _key))
            return Refuse(RefusalReason.OtherInstrumentationKey, "'iKey' is not the instrumentation key of this run.");
        if (Interlocked.Read(ref _beginTicks) is var begin && time.UtcTicks < begin)
        {
            return Refuse(
                RefusalReason.BeforeTheRun,
                $"'time' is before the run, which began at {new DateTimeOffset(begin, TimeSpan.Zero):O}."
            );
        }
        if (_tables.MappingFor(item[EnvelopeField.BaseType]) is not { } mapping)
        {
            return Refuse(
                RefusalReason.UnknownType,
                $"'{item.Text(EnvelopeField.BaseType)}' is not a type of telemetry that this collector keeps."
            );
        }
        if (collector is not null && CollectorCalls.Is(item, collector))
            return Refuse(RefusalReason.CollectorCall);
        return Write(item, mapping);
    }

    // What is inside an item's JSON is first looked at here: a text that is not UTF-8, a list that is none.
    private Refusal? Write(Envelope item, RowMapping mapping)
    {
        lock (_gate)
        {
            ReadOnlySpan<byte> line;
            try
            {
                line = _segment is null ? default : OneLine.Of(item.Body[item.Raw].Span);
                mapping.Write(item);
            }
            catch (Exception exception) when (exception is JsonException or InvalidOperationException)
            {
                return Refuse(RefusalReason.Malformed, $"not a telemetry item: {exception.Message}");
            }
            _segment?.Append(line);
            if (++_kept % BetweenTrims == 0 && _options.Window is { } window)
                _dropped += _tables.Trim(window, _clock.GetUtcNow());
            return null;
        }
    }

    private Refusal Refuse(RefusalReason reason, string? message = null)
    {
        Interlocked.Increment(ref _refused[(int)reason]);
        return new(reason, message);
    }

    private void Replay(ReadOnlyMemory<byte> lines)
    {
        while (!lines.IsEmpty)
        {
            // Envelopes come in runs; only the few lines between them are looked at one by one.
            var samples = SampleLine.Is(lines.Span) ? 0 : lines.Span.IndexOf("\n{\"table\":"u8) + 1;
            if (samples == 0 && !SampleLine.Is(lines.Span))
                samples = lines.Length;
            Ingest(lines[..samples], collector: null, int.MaxValue);
            lines = lines[samples..];
            if (lines.IsEmpty)
                return;
            var end = lines.Span.IndexOf((byte)'\n');
            ReplaySample(lines[..end]);
            lines = lines[(end + 1)..];
        }
    }

    private void ReplaySample(ReadOnlyMemory<byte> line)
    {
        try
        {
            using var document = JsonDocument.Parse(line);
            var declared = SampleLine.Declaration(document.RootElement);
            if (declared is not null)
            {
                Define(declared);
            }
            else if (_tables.Find(document.RootElement.GetProperty("table").GetString()!) is { } table)
            {
                KeepSample(table, line);
                if (table.Schema.Name == SampleTables.Gaps.Name)
                    _missing += document.RootElement.GetProperty("row").GetProperty("lines").GetInt64();
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
                        or InvalidOperationException
            )
        {
            Refuse(RefusalReason.Malformed);
        }
    }

    /// <param name="Reason">By which it is counted.</param>
    /// <param name="Message">Why, for whoever sent the item; null: it is no error.</param>
    private readonly record struct Refusal(RefusalReason Reason, string? Message);
}
