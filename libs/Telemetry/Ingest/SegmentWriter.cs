using System.Buffers;
using System.IO.Compression;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>
/// Appends lines to the run's file, behind the last whole line of one that is there. Each flush of a compressed file is a gzip member of its
/// own, so a process that is killed loses what it had not flushed and nothing before it; <c>zcat</c> and <c>jq</c> read the result as they
/// read any other.
/// </summary>
internal sealed class SegmentWriter : IAsyncDisposable
{
    private const int FlushAtBytes = 1 << 20;

    private readonly Lock _gate = new();
    private readonly FileStream _file;
    private readonly bool _compress;
    private readonly ArrayBufferWriter<byte> _pending = new(FlushAtBytes);
    private readonly CancellationTokenSource _stopping = new();
    private readonly Task _flushing;
    private int _pendingLines;

    public SegmentWriter(string path, TimeSpan interval, TimeProvider clock)
    {
        _compress = path.EndsWith(".gz", StringComparison.OrdinalIgnoreCase);
        CutOff = SegmentEnd.Mend(path, _compress);
        _file = new(path, FileMode.Append, FileAccess.Write, FileShare.Read, bufferSize: 0);
        _flushing = FlushRegularly(interval, clock, _stopping.Token);
    }

    /// <summary>Whether the file had an unfinished end, which was taken off.</summary>
    public bool CutOff { get; }

    /// <summary>Lines that the disk refused.</summary>
    public long Lost { get; private set; }

    /// <summary>What the disk said; null as long as all is well.</summary>
    public string? Failure { get; private set; }

    public void Append(ReadOnlySpan<byte> line)
    {
        lock (_gate)
        {
            _pending.Write(line);
            _pending.Write("\n"u8);
            _pendingLines++;
            // Whoever fills the buffer pays for the disk: memory stays bounded and senders feel it.
            if (_pending.WrittenCount >= FlushAtBytes) Flush();
        }
    }

    /// <summary>Writes what the file has by now to <paramref name="destination"/>: whole lines, whole gzip members.</summary>
    public async Task CopyToAsync(Stream destination, CancellationToken cancellationToken)
    {
        long left;
        lock (_gate)
        {
            Flush();
            left = _file.Length;
        }
        await using var file = new FileStream(_file.Name, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        var block = new byte[1 << 16];
        while (left > 0 && await file.ReadAsync(block.AsMemory(0, (int)Math.Min(block.Length, left)), cancellationToken) is > 0 and var read)
        {
            await destination.WriteAsync(block.AsMemory(0, read), cancellationToken);
            left -= read;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (!_file.CanWrite) return; // disposed before
        await _stopping.CancelAsync();
        await _flushing;
        lock (_gate) Flush();
        await _file.DisposeAsync();
        _stopping.Dispose();
    }

    private async Task FlushRegularly(TimeSpan interval, TimeProvider clock, CancellationToken stopping)
    {
        using var timer = new PeriodicTimer(interval, clock);
        try
        {
            while (await timer.WaitForNextTickAsync(stopping))
                lock (_gate) Flush();
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            // The last flush is made by DisposeAsync.
        }
    }

    private void Flush()
    {
        if (_pendingLines == 0) return;
        try
        {
            if (Failure is null) Write(_pending.WrittenSpan);
            else Lost += _pendingLines;
        }
        catch (IOException exception)
        {
            Failure = exception.Message;
            Lost += _pendingLines;
        }
        _pending.ResetWrittenCount();
        _pendingLines = 0;
    }

    private void Write(ReadOnlySpan<byte> lines)
    {
        if (!_compress)
        {
            _file.Write(lines);
            return;
        }
        using var member = new GZipStream(_file, CompressionLevel.Fastest, leaveOpen: true);
        member.Write(lines);
    }
}
