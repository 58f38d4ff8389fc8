using System.Buffers;
using System.IO.Compression;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>
/// Appends lines to the run's file, behind the last whole line of one that is there. Each flush of a compressed file is a gzip member of
/// its own, so a process that is killed loses what it had not flushed and nothing before it; <c>zcat</c> and <c>jq</c> read the result as
/// they read any other. A disk that refuses (it is full) is tried again at each interval: lines wait in memory meanwhile, those that do not
/// fit are counted, and the file says where they are missing.
/// </summary>
internal sealed class SegmentWriter : IAsyncDisposable
{
    private const int FlushAtBytes = 1 << 20;

    /// <summary>Bytes that wait for a disk that refuses: some 10,000 items.</summary>
    internal const int MaxWaitingBytes = 8 << 20;

    private readonly Lock _gate = new();
    private readonly FileStream _file;
    private readonly Func<FileStream, Stream> _output;
    private readonly TimeProvider _clock;
    private readonly Action<string> _notice;
    private readonly bool _compress;
    private readonly ArrayBufferWriter<byte> _pending = new(FlushAtBytes);
    private readonly CancellationTokenSource _stopping = new();
    private readonly Task _flushing;
    private int _pendingLines;
    private long _whole, _lost, _lostInGap;
    private DateTimeOffset _gapSince;
    private string? _failure;

    /// <param name="path">Compressed when it ends with <c>.gz</c>.</param>
    /// <param name="interval">At most this long is a line away from the file.</param>
    /// <param name="clock">Paces the flushes.</param>
    /// <param name="notice">Told, in a sentence, that the disk refuses, and that it takes lines again.</param>
    /// <param name="output">Stands between the lines and the file; null: nothing does.</param>
    public SegmentWriter(
        string path, TimeSpan interval, TimeProvider clock, Action<string>? notice = null, Func<FileStream, Stream>? output = null)
    {
        (_clock, _notice, _output) = (clock, notice ?? (_ => { }), output ?? (file => file));
        _compress = path.EndsWith(".gz", StringComparison.OrdinalIgnoreCase);
        CutOff = SegmentEnd.Mend(path, _compress);
        _file = new(path, FileMode.Append, FileAccess.Write, FileShare.Read, bufferSize: 0);
        _whole = _file.CanSeek ? _file.Length : 0;
        _flushing = FlushRegularly(interval, clock, _stopping.Token);
    }

    /// <summary>Whether the file had an unfinished end, which was taken off.</summary>
    public bool CutOff { get; }

    /// <summary>Lines that are not in the file because the disk refused them: those that were dropped, and those that wait.</summary>
    public long Unsaved
    {
        get
        {
            lock (_gate)
                return _lost + (_failure is null ? 0 : _pendingLines);
        }
    }

    /// <summary>What the disk says now; null as long as it takes lines.</summary>
    public string? Failure
    {
        get
        {
            lock (_gate)
                return _failure;
        }
    }

    public void Append(ReadOnlySpan<byte> line)
    {
        lock (_gate)
        {
            if (_failure is not null && _pending.WrittenCount + line.Length >= MaxWaitingBytes)
            {
                Drop(1);
                return;
            }
            _pending.Write(line);
            _pending.Write("\n"u8);
            _pendingLines++;
            // Whoever fills the buffer pays for the disk: memory stays bounded and senders feel it.
            if (_failure is null && _pending.WrittenCount >= FlushAtBytes)
                Flush();
        }
    }

    /// <summary>Writes what the file has by now to <paramref name="destination"/>: whole lines, whole gzip members.</summary>
    public async Task CopyToAsync(Stream destination, CancellationToken cancellationToken)
    {
        long left;
        lock (_gate)
        {
            Flush();
            left = _whole;
        }
        await using var file = new FileStream(_file.Name, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        var block = new byte[1 << 16];
        while (left > 0
            && await file.ReadAsync(block.AsMemory(0, (int)Math.Min(block.Length, left)), cancellationToken) is > 0 and var read)
        {
            await destination.WriteAsync(block.AsMemory(0, read), cancellationToken);
            left -= read;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (!_file.CanWrite)
            return; // disposed before
        await _stopping.CancelAsync();
        await _flushing;
        lock (_gate)
        {
            Flush();
            Drop(_pendingLines);
            _pendingLines = 0;
        }
        await _file.DisposeAsync();
        _stopping.Dispose();
    }

    private async Task FlushRegularly(TimeSpan interval, TimeProvider clock, CancellationToken stopping)
    {
        using var timer = new PeriodicTimer(interval, clock);
        try
        {
            while (await timer.WaitForNextTickAsync(stopping))
            {
                lock (_gate)
                    Flush();
            }
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            // The last flush is made by DisposeAsync.
        }
    }

    private void Flush()
    {
        if (_pendingLines == 0 && _lostInGap == 0)
            return;
        try
        {
            if (_pendingLines > 0)
                WriteWhole(_pending.WrittenSpan);
            _pending.ResetWrittenCount();
            _pendingLines = 0;
            if (_lostInGap > 0)
                WriteWhole(GapLine());
            Recover();
        }
        catch (IOException exception)
        {
            CutBack();
            if (_failure is null)
                _notice($"{_file.Name} cannot be written: {exception.Message} Telemetry waits in memory until there is room again.");
            _failure = exception.Message;
        }
    }

    private void Recover()
    {
        if (_failure is null)
            return;
        _notice(_lostInGap == 0
            ? $"{_file.Name} is written again; nothing of it is missing."
            : $"{_file.Name} is written again; {_lostInGap} items are missing from {_gapSince.UtcDateTime:HH:mm:ss} "
                + $"to {_clock.GetUtcNow().UtcDateTime:HH:mm:ss} UTC.");
        (_failure, _lostInGap) = (null, 0);
    }

    private void Drop(int lines)
    {
        if (_lostInGap == 0)
            _gapSince = _clock.GetUtcNow();
        _lost += lines;
        _lostInGap += lines;
    }

    private byte[] GapLine()
    {
        var row = new { timestamp = _gapSince.UtcDateTime, end = _clock.GetUtcNow().UtcDateTime, lines = _lostInGap };
        return [.. JsonSerializer.SerializeToUtf8Bytes(new { table = SampleTables.Gaps.Name, row }), (byte)'\n'];
    }

    /// <summary>All of it or, as far as readers are concerned, nothing: what is behind half a member is found by no reader.</summary>
    private void WriteWhole(ReadOnlySpan<byte> lines)
    {
        Cut();
        Write(lines);
        if (_file.CanSeek)
            _whole = _file.Length;
    }

    private void Write(ReadOnlySpan<byte> lines)
    {
        var output = _output(_file);
        if (!_compress)
        {
            output.Write(lines);
            return;
        }
        using var member = new GZipStream(output, CompressionLevel.Fastest, leaveOpen: true);
        member.Write(lines);
    }

    private void Cut()
    {
        if (_file.CanSeek && _file.Length > _whole)
            _file.SetLength(_whole);
    }

    // A disk that does not even shorten a file is asked again before the next write.
    private void CutBack()
    {
        try
        {
            Cut();
        }
        catch (IOException)
        {
        }
    }
}
