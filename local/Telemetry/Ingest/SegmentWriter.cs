using System.Buffers;
using System.IO.Compression;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>Appends lines to the run's file. Each flush of a compressed file is a gzip member, so a killed process
/// loses only unflushed lines. If writing fails, it's retried at each interval. Meanwhile, lines wait in memory; the
/// file records a gap for those that don't fit. With a window, there are two files, and the earlier one is deleted when
/// the other is old or contains half of the window.</summary>
internal sealed class SegmentWriter : IAsyncDisposable
{
    private const int FlushAtBytes = 1 << 20;

    /// <summary>The maximum number of bytes that wait while writing fails: about 10,000 items.</summary>
    internal const int MaxWaitingBytes = 8 << 20;

    private readonly Lock _gate = new();
    private readonly string _path;
    private readonly Func<FileStream, Stream> _output;
    private readonly TimeProvider _clock;
    private readonly Action<string> _notice;
    private readonly bool _compress;
    private readonly TelemetryWindow? _window;
    private readonly ArrayBufferWriter<byte> _pending = new(FlushAtBytes),
        _declarations = new();
    private readonly CancellationTokenSource _stopping = new();
    private readonly Task _flushing;
    private FileStream _file;
    private int _pendingLines,
        _declared;
    private long _whole,
        _lost,
        _lostInGap;
    private DateTimeOffset _gapSince,
        _fileSince;
    private string? _failure;

    /// <param name="interval">The maximum time until a line is written.</param>
    /// <param name="notice">Called with a message when writing fails, and when it recovers.</param>
    /// <param name="output">Wraps the file; <c>null</c> to write directly.</param>
    /// <param name="window">The window to keep; <c>null</c> to keep everything.</param>
    public SegmentWriter(
        string path,
        TimeSpan interval,
        TimeProvider clock,
        Action<string>? notice = null,
        Func<FileStream, Stream>? output = null,
        TelemetryWindow? window = null
    )
    {
        _clock = clock;
        _notice = notice ?? (_ => { });
        _output = output ?? (file => file);
        _path = path;
        _window = window;
        _fileSince = clock.GetUtcNow();
        _compress = path.EndsWith(".gz", StringComparison.OrdinalIgnoreCase);
        CutOff = SegmentEnd.Repair(path, _compress);
        _file = Open(path);
        _whole = _file.CanSeek ? _file.Length : 0;
        _flushing = FlushRegularly(interval, clock, _stopping.Token);
    }

    /// <summary><c>true</c> if an incomplete end was removed from the file.</summary>
    public bool CutOff { get; }

    /// <summary>The number of lines that aren't in the file because writing failed.</summary>
    public long Unsaved
    {
        get
        {
            lock (_gate)
                return _lost + (_failure is null ? 0 : _pendingLines);
        }
    }

    public string? Failure
    {
        get
        {
            lock (_gate)
                return _failure;
        }
    }

    /// <summary>Appends a declaration, which each file starts with.</summary>
    public void Declare(ReadOnlySpan<byte> line)
    {
        lock (_gate)
        {
            _declarations.Write(line);
            _declarations.Write("\n"u8);
            _declared++;
            Append(line);
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
            // Flush on the thread that fills the buffer, which bounds memory and slows down senders.
            if (_failure is null && _pending.WrittenCount >= FlushAtBytes)
                Flush();
        }
    }

    /// <summary>Copies the current file to <paramref name="destination"/>, in whole lines and gzip members.</summary>
    public async Task CopyToAsync(Stream destination, CancellationToken cancellationToken)
    {
        List<(FileStream File, long Length)> parts;
        lock (_gate)
        {
            Flush();
            parts = [.. SegmentReader.PartsOf(_path).Select(SegmentReader.Open).Select(file => (file, file.Length))];
            parts[^1] = (parts[^1].File, _whole);
        }
        foreach (var (file, length) in parts)
            await CopyAsync(file, length, destination, cancellationToken);
    }

    private static async Task CopyAsync(
        FileStream part,
        long length,
        Stream destination,
        CancellationToken cancellationToken
    )
    {
        await using var file = part;
        var block = new byte[1 << 16];
        while (
            length > 0
            && await file.ReadAsync(block.AsMemory(0, (int)Math.Min(block.Length, length)), cancellationToken)
                is > 0
                    and var read
        )
        {
            await destination.WriteAsync(block.AsMemory(0, read), cancellationToken);
            length -= read;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_stopping.IsCancellationRequested)
            return;
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
        catch (OperationCanceledException) when (stopping.IsCancellationRequested) { }
    }

    private void Flush()
    {
        if (_pendingLines == 0 && _lostInGap == 0)
            return;
        try
        {
            if (!_file.CanWrite)
                Reopen();
            if (_window is { } window && (_whole > window.Bytes / 2 || _clock.GetUtcNow() - _fileSince > window.Age))
                Rotate();
            if (_pendingLines > 0)
                WriteWhole(_pending.WrittenSpan);
            _pending.ResetWrittenCount();
            _pendingLines = 0;
            if (_lostInGap > 0)
                WriteWhole(GapLine());
            Recover();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            TryTruncate();
            if (_failure is null)
            {
                _notice(
                    $"{_path} cannot be written: {exception.Message} Telemetry is kept in memory until writing succeeds."
                );
            }

            _failure = exception.Message;
        }
    }

    // Rotates the files. The next flush retries if that fails.
    private void Rotate()
    {
        _file.Dispose();
        try
        {
            File.Move(_path, SegmentReader.EarlierOf(_path), overwrite: true);
        }
        finally
        {
            Reopen();
        }
    }

    private void Reopen()
    {
        _file = Open(_path);
        _whole = _file.CanSeek ? _file.Length : 0;
        if (_whole > 0)
            return;
        _fileSince = _clock.GetUtcNow();
        byte[] lines = [.. _declarations.WrittenSpan, .. _pending.WrittenSpan];
        _pending.ResetWrittenCount();
        _pending.Write(lines);
        _pendingLines += _declared;
    }

    private static FileStream Open(string path) =>
        new(path, FileMode.Append, FileAccess.Write, FileShare.Read | FileShare.Delete, bufferSize: 0);

    private void Recover()
    {
        if (_failure is null)
            return;
        _notice(
            _lostInGap == 0
                ? $"{_path} is written again; nothing is missing."
                : $"{_path} is written again; {_lostInGap} items are missing from {_gapSince.UtcDateTime:HH:mm:ss} "
                    + $"to {_clock.GetUtcNow().UtcDateTime:HH:mm:ss} UTC."
        );
        _failure = null;
        _lostInGap = 0;
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
        var row = new
        {
            timestamp = _gapSince.UtcDateTime,
            end = _clock.GetUtcNow().UtcDateTime,
            lines = _lostInGap,
        };
        return [.. JsonSerializer.SerializeToUtf8Bytes(new { table = SampleTables.Gaps.Name, row }), (byte)'\n'];
    }

    /// <summary>Writes lines atomically, because readers can't read past half a member.</summary>
    private void WriteWhole(ReadOnlySpan<byte> lines)
    {
        Truncate();
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

    private void Truncate()
    {
        if (_file.CanSeek && _file.Length > _whole)
            _file.SetLength(_whole);
    }

    // If this fails, it's retried before the next write.
    private void TryTruncate()
    {
        try
        {
            Truncate();
        }
        catch (IOException) { }
    }
}
