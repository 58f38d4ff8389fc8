using System.Diagnostics;
using DroneDelivery.Model.Figures;
using Microsoft.Win32.SafeHandles;
using static DroneDelivery.Lab.Experiments.ShareCost;

namespace DroneDelivery.Lab.Experiments;

internal sealed record WayToCopy(string Name, Func<Stream, string, long, CancellationToken, Task> Copy);

/// <summary>What one way took: medians over the repetitions.</summary>
/// <param name="AllocatedMiB">Of managed memory, for one copy.</param>
internal sealed record CopyResult(string Name, double Milliseconds, double AllocatedMiB);

/// <summary>Copies to this machine's own disk, or to its memory: nothing is emulated.</summary>
internal sealed class LocalDisk(string folder, int fileMiB)
{
    public const string Tuned = "writes of 16 MiB",
        Whole = "one write of the whole file";

    public const string Skipped = "writes of 4 MiB",
        Buffered = "writes of 4 MiB, FileStream buffer of 10 MiB";

    private const int InternalBuffer = 10 * MiB,
        DefaultInternalBuffer = 4096;

    private readonly byte[] _buffer = new byte[fileMiB * MiB];

    private long Bytes => (long)fileMiB * MiB;

    /// <summary>All ways in turn, so that whatever else the machine does meets each of them.</summary>
    public async Task<IReadOnlyList<CopyResult>> MeasureAsync(int repetitions, CancellationToken cancellationToken)
    {
        var ways = Ways();
        var samples = ways.ToDictionary(way => way.Name, _ => new List<(double Ms, double MiB)>());
        foreach (var way in ways)
            await MeasureAsync(way, cancellationToken); // not counted: the code is compiled, the buffer gets its memory
        for (var i = 0; i < repetitions; i++)
        {
            foreach (var way in ways)
                samples[way.Name].Add(await MeasureAsync(way, cancellationToken));
        }
        return [.. ways.Select(way => Medians(way.Name, samples[way.Name]))];
    }

    private static CopyResult Medians(string name, List<(double Ms, double MiB)> samples) =>
        new(
            name,
            Percentiles.Median(samples.Select(sample => sample.Ms)),
            Percentiles.Median(samples.Select(sample => sample.MiB))
        );

    private IReadOnlyList<WayToCopy> Ways() =>
        [new("CopyToAsync: writes of 128 KiB", async (source, path, _, cancellationToken) =>
            {
                await using var file = Create(path);
                await source.CopyToAsync(file, cancellationToken);
            }), Way("writes of 1 MiB", 1), Way(Skipped, 4), Way(Tuned, 16), Way(Whole, fileMiB), Way("writes of 4 MiB, SetLength first", 4, knowsLength: true), Way("writes of 4 MiB, preallocationSize", 4, preallocate: true), Way(Buffered, 4, internalBuffer: InternalBuffer), Way("writes of 4 MiB, no FileStream buffer", 4, internalBuffer: 0), Way("writes of 4 MiB, flushed to the disk", 4, flushes: true), new("writes of 4 MiB with RandomAccess", WriteAtOffsetsAsync)];

    private WayToCopy Way(
        string name,
        int bufferMiB,
        bool knowsLength = false,
        bool preallocate = false,
        int internalBuffer = DefaultInternalBuffer,
        bool flushes = false
    ) => new(name, async (source, path, bytes, cancellationToken) =>
        {
            await using var file = Create(path, internalBuffer, preallocate ? bytes : 0);
            await CopyAsync(
                source,
                file,
                _buffer.AsMemory(0, bufferMiB * MiB),
                knowsLength ? bytes : null,
                cancellationToken
            );
            if (flushes)
                file.Flush(flushToDisk: true);
        });

    /// <summary>Reads until the buffer is full, then writes all of it: one write for each buffer.</summary>
    /// <param name="length">Bytes that will arrive, to give the file its length before the first write; null: it grows.</param>
    internal static async Task CopyAsync(
        Stream source,
        Stream destination,
        Memory<byte> buffer,
        long? length,
        CancellationToken cancellationToken
    )
    {
        if (length is { } known)
            destination.SetLength(known);
        while (
            await source.ReadAtLeastAsync(buffer, buffer.Length, throwOnEndOfStream: false, cancellationToken)
                is var read
                    and > 0
        )
        {
            await destination.WriteAsync(buffer[..read], cancellationToken);
        }
    }

    private async Task WriteAtOffsetsAsync(Stream source, string path, long bytes, CancellationToken cancellationToken)
    {
        using SafeFileHandle file = File.OpenHandle(
            path,
            FileMode.Create,
            FileAccess.Write,
            FileShare.None,
            FileOptions.Asynchronous
        );
        var buffer = _buffer.AsMemory(0, 4 * MiB);
        long offset = 0;
        while (
            await source.ReadAtLeastAsync(buffer, buffer.Length, throwOnEndOfStream: false, cancellationToken)
                is var read
                    and > 0
        )
        {
            await RandomAccess.WriteAsync(file, buffer[..read], offset, cancellationToken);
            offset += read;
        }
    }

    private async Task<(double Ms, double MiB)> MeasureAsync(WayToCopy way, CancellationToken cancellationToken)
    {
        var path = Path.Combine(folder, "proof-of-delivery");
        await using var source = new ArrivingStream(Bytes);
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var start = Stopwatch.GetTimestamp();
        await way.Copy(source, path, Bytes, cancellationToken);
        var milliseconds = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        var written = new FileInfo(path).Length;
        File.Delete(path);
        return written == Bytes
            ? (milliseconds, (double)allocated / MiB)
            : throw new LabException($"{way.Name} wrote {written} bytes of {Bytes} to {path}.");
    }

    private static FileStream Create(string path, int internalBuffer = DefaultInternalBuffer, long preallocate = 0) =>
        new(
            path,
            new FileStreamOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.Write,
                Options = FileOptions.Asynchronous,
                BufferSize = internalBuffer,
                PreallocationSize = preallocate,
            }
        );
}

/// <summary>
/// A proof of delivery that arrives: so many bytes, and making them costs nothing. It only goes forward, as the body of an HTTP answer
/// does.
/// </summary>
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
