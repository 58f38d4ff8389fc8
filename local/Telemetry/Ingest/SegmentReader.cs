using System.IO.Compression;

namespace DroneDelivery.Telemetry.Ingest;

internal static class SegmentReader
{
    private const int BlockSize = 1 << 22;

    public static string EarlierOf(string path) =>
        Path.Combine(Path.GetDirectoryName(path)!, "earlier." + Path.GetFileName(path));

    public static IEnumerable<string> PartsOf(string path) =>
        File.Exists(EarlierOf(path)) ? [EarlierOf(path), path] : [path];

    public static FileStream Open(string path) =>
        new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);

    /// <returns><c>true</c> if a killed process left an incomplete end.</returns>
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
                cutOff = true;
            }
            length = ReadLines(block, length, read);
            if (length == block.Length)
                Array.Resize(ref block, block.Length * 2);
        }
        // Lines are written with their line break, so a line without one is incomplete.
        return cutOff || length > 0;
    }

    /// <returns>The number of bytes of the incomplete line, which are moved to the beginning.</returns>
    private static int ReadLines(byte[] block, int length, Action<ReadOnlyMemory<byte>> read)
    {
        var whole = block.AsSpan(0, length).LastIndexOf((byte)'\n') + 1;
        if (whole > 0)
            read(block.AsMemory(0, whole));
        block.AsSpan(whole..length).CopyTo(block);
        return length - whole;
    }
}
