using System.Text;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The end of a log that is being written.</summary>
internal static class LogTail
{
    public const int Lines = 200;
    private const int Bytes = 64 * 1024;

    /// <returns>Whole lines; nothing where there is no such file.</returns>
    public static async Task<string> ReadAsync(string file, CancellationToken cancellationToken)
    {
        if (!File.Exists(file))
            return "";
        await using var stream = new FileStream(
            file,
            FileMode.Open,
            FileAccess.Read,
            FileShare.ReadWrite | FileShare.Delete
        );
        var skipped = Math.Max(0, stream.Length - Bytes);
        stream.Seek(skipped, SeekOrigin.Begin);
        var buffer = new byte[Bytes];
        var length = await stream.ReadAtLeastAsync(buffer, Bytes, throwOnEndOfStream: false, cancellationToken);
        var lines = Encoding.UTF8.GetString(buffer, 0, length).Split('\n').Skip(skipped > 0 ? 1 : 0);
        return string.Join('\n', lines.TakeLast(Lines + 1));
    }
}
