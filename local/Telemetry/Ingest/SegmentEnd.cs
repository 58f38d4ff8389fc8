using System.Buffers.Binary;
using System.IO.Compression;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>Removes the incomplete end that a killed process left in a run's file; otherwise, lines after it couldn't
/// be read.</summary>
internal static class SegmentEnd
{
    // The first bytes of GZipStream's members, which don't occur by chance.
    private static ReadOnlySpan<byte> MemberStart => [0x1F, 0x8B, 8, 0, 0, 0, 0, 0];

    /// <returns><c>true</c> if the end was incomplete.</returns>
    public static bool Repair(string path, bool compressed)
    {
        if (!File.Exists(path))
            return false;
        using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.Read);
        if (!file.CanSeek || file.Length == 0)
            return false;
        return compressed ? RepairMember(file) : CutLine(file);
    }

    // Rewrites the lines that are still readable.
    private static bool RepairMember(FileStream file)
    {
        if (LastFrom(file, MemberStart) is not { } member)
            return false; // Written by another program.
        var lines = Unpack(member);
        if (IsWhole(member, lines))
            return false;
        var kept = lines.AsSpan().LastIndexOf((byte)'\n') + 1;
        file.SetLength(file.Length - member.Length);
        file.Seek(0, SeekOrigin.End);
        if (kept == 0)
            return true;
        using var again = new GZipStream(file, CompressionLevel.Fastest, leaveOpen: true);
        again.Write(lines.AsSpan(0, kept));
        return true;
    }

    private static bool CutLine(FileStream file)
    {
        var unfinished = LastFrom(file, "\n"u8) is { } end ? end.Length - 1 : file.Length;
        if (unfinished > 0)
            file.SetLength(file.Length - unfinished);
        return unfinished > 0;
    }

    /// <returns>The file from the last <paramref name="mark"/> on; <c>null</c> if there is none.</returns>
    private static byte[]? LastFrom(FileStream file, ReadOnlySpan<byte> mark)
    {
        for (var size = 1L << 20; ; size *= 2)
        {
            var tail = new byte[Math.Min(size, file.Length)];
            file.Position = file.Length - tail.Length;
            file.ReadExactly(tail);
            if (tail.AsSpan().LastIndexOf(mark) is >= 0 and var start)
                return tail[start..];
            if (tail.Length == file.Length)
                return null;
        }
    }

    private static byte[] Unpack(byte[] member)
    {
        using var lines = new MemoryStream();
        using var content = new GZipStream(new MemoryStream(member), CompressionMode.Decompress);
        try
        {
            content.CopyTo(lines);
        }
        catch (InvalidDataException)
        {
            // Keep the lines read so far.
        }
        return lines.ToArray();
    }

    // A member contains whole lines, and ends with their length in four bytes.
    private static bool IsWhole(byte[] member, byte[] lines) =>
        lines is [.., (byte)'\n'] && BinaryPrimitives.ReadUInt32LittleEndian(member.AsSpan(^4..)) == lines.Length;
}
