using System.IO.Compression;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>Reads a run's file in blocks of whole lines.</summary>
internal static class SegmentReader
{
    private const int BlockSize = 1 << 22;

    /// <summary>Where a file that keeps a window has what it kept before its last beginning.</summary>
    public static string EarlierOf(string path) =>
        Path.Combine(Path.GetDirectoryName(path)!, "earlier." + Path.GetFileName(path));

    /// <summary>The files that hold a run, the earlier one first.</summary>
    public static IEnumerable<string> PartsOf(string path) =>
        File.Exists(EarlierOf(path)) ? [EarlierOf(path), path] : [path];

    /// <summary>Opens a file that may still be written.</summary>
    public static FileStream Open(string path) =>
        new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);

    /// <param name="read">Takes whole lines.</param>
    /// <returns>Whether a killed process left the end unfinished.</returns>
    public static async Task<bool> ReadAsync(
        string path,
        Action<ReadOnlyMemory<byte>> read,
        CancellationToken cancellationToken
    )
    {
        await using var file = Open(path);
        await using Stream content = path.EndsWith(".gz", StringComparison.OrdinalIgnoreCase)
            ? new GZipStream(file, CompressionMode.Decompress)
            : file;
        var block = new byte[BlockSize];
        var length = 0;
        var cutOff = false;
        while (!cutOff)
        {
            try
            {
                var more = await content.ReadAsync(block.AsMemory(length), cancellationToken);
                if (more == 0)
                    break;
                length += more;
            }
            catch (InvalidDataException)
            {
                cutOff = true; // in the middle of a compressed member
            }
            length = ReadLines(block, length, read);
            if (length == block.Length)
                Array.Resize(ref block, block.Length * 2);
        }
        // A line is written with its end: what has none was cut off.
        return cutOff || length > 0;
    }

    /// <returns>Bytes of the line that has not ended yet; they are moved to the beginning.</returns>
    private static int ReadLines(byte[] block, int length, Action<ReadOnlyMemory<byte>> read)
    {
        var whole = block.AsSpan(0, length).LastIndexOf((byte)'\n') + 1;
        if (whole > 0)
            read(block.AsMemory(0, whole));
        block.AsSpan(whole..length).CopyTo(block);
        return length - whole;
    }
}
