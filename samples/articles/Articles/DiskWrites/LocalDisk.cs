using System.Diagnostics;
using DroneDelivery.Lab;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Articles.DiskWrites;

/// <summary>A method of copying a file.</summary>
/// <param name="BufferMiB">The size of a write; 0 for <c>CopyToAsync</c>.</param>
/// <param name="InternalBuffer">The size of FileStream's internal buffer, in bytes.</param>
internal sealed record WayToCopy(string Name, int BufferMiB, int InternalBuffer = WayToCopy.DefaultInternalBuffer)
{
    private const int DefaultInternalBuffer = 4096;

    /// <summary>Whether the file's length is set before the first write.</summary>
    public bool KnowsLength { get; init; }

    public bool Preallocates { get; init; }

    /// <summary>Whether the copy flushes to disk.</summary>
    public bool Flushes { get; init; }
}

/// <summary>Medians of the repetitions.</summary>
/// <param name="AllocatedMiB">The managed memory that a copy allocates.</param>
internal sealed record CopyResult(string Name, double Milliseconds, double AllocatedMiB);

/// <summary>Copies to this machine's disk or memory, without emulation.</summary>
internal sealed class LocalDisk(string folder, int fileMiB)
{
    public const string Tuned = "writes of 16 MiB",
        Whole = "one write of the whole file",
        Skipped = "writes of 4 MiB",
        Buffered = "writes of 4 MiB, FileStream buffer of 10 MiB";

    private readonly byte[] _buffer = new byte[fileMiB * ShareCost.MiB];

    private IReadOnlyList<WayToCopy> Ways =>
        [
            new("CopyToAsync: writes of 128 KiB", 0),
            new("writes of 1 MiB", 1),
            new(Skipped, 4),
            new(Tuned, 16),
            new(Whole, fileMiB),
            new("writes of 4 MiB, SetLength first", 4) { KnowsLength = true },
            new("writes of 4 MiB, preallocationSize", 4) { Preallocates = true },
            new(Buffered, 4, InternalBuffer: 10 * ShareCost.MiB),
            new("writes of 4 MiB, no FileStream buffer", 4, InternalBuffer: 0),
            new("writes of 4 MiB, flushed to the disk", 4) { Flushes = true },
        ];

    /// <summary>Measures all methods round robin, so that other work of the machine disturbs each of them.</summary>
    public async Task<IReadOnlyList<CopyResult>> MeasureAsync(int repetitions, CancellationToken cancellationToken)
    {
        var seen = Ways.Select(way => (Way: way, Samples: new List<(double Ms, double MiB)>())).ToList();
        for (var turn = 0; turn <= repetitions; turn++)
        {
            foreach (var (way, samples) in seen)
                samples.Add(await MeasureAsync(way, cancellationToken));
        }
        // Excludes the first round, which compiles code and allocates the buffer.
        return [.. seen.Select(it => Medians(it.Way.Name, [.. it.Samples.Skip(1)]))];
    }

    /// <summary>Fills the buffer before each write.</summary>
    internal static async Task CopyAsync(
        Stream source,
        Stream destination,
        Memory<byte> buffer,
        CancellationToken cancellationToken
    )
    {
        while (true)
        {
            var read = await source.ReadAtLeastAsync(
                buffer,
                buffer.Length,
                throwOnEndOfStream: false,
                cancellationToken
            );
            if (read == 0)
                return;
            await destination.WriteAsync(buffer[..read], cancellationToken);
        }
    }

    private static CopyResult Medians(string name, IReadOnlyList<(double Ms, double MiB)> samples) =>
        new(
            name,
            Percentiles.Median(samples.Select(sample => sample.Ms)),
            Percentiles.Median(samples.Select(sample => sample.MiB))
        );

    private async Task<(double Ms, double MiB)> MeasureAsync(WayToCopy way, CancellationToken cancellationToken)
    {
        var path = Path.Combine(folder, "proof-of-delivery");
        await using var source = new ArrivingStream(_buffer.Length);
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var start = Stopwatch.GetTimestamp();
        await CopyAsync(way, source, path, cancellationToken);
        var milliseconds = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        var written = new FileInfo(path).Length;
        File.Delete(path);
        return written == _buffer.Length
            ? (milliseconds, (double)allocated / ShareCost.MiB)
            : throw new LabException($"{way.Name} wrote {written} bytes of {_buffer.Length} to {path}.");
    }

    private async Task CopyAsync(WayToCopy way, Stream source, string path, CancellationToken cancellationToken)
    {
        await using var file = new FileStream(
            path,
            new FileStreamOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.Write,
                Options = FileOptions.Asynchronous,
                BufferSize = way.InternalBuffer,
                PreallocationSize = way.Preallocates ? _buffer.Length : 0,
            }
        );
        if (way.KnowsLength)
            file.SetLength(_buffer.Length);
        if (way.BufferMiB == 0)
            await source.CopyToAsync(file, cancellationToken);
        else
            await CopyAsync(source, file, _buffer.AsMemory(0, way.BufferMiB * ShareCost.MiB), cancellationToken);
        if (way.Flushes)
            file.Flush(flushToDisk: true);
    }
}

/// <summary>A read-only stream of generated bytes, like the body of an HTTP response.</summary>
internal sealed class ArrivingStream(long bytes) : Stream
{
    private long _left = bytes;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var read = (int)Math.Min(buffer.Length, _left);
        _left -= read;
        return new(read);
    }

    public override void Flush() => throw new NotSupportedException();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
