using System.Text;

namespace DroneDelivery.Lab.Report;

/// <summary>The last line of a log that grows: its end is read, however long it is.</summary>
internal static class LastLine
{
    private const int Longest = 4096;

    /// <returns>Without the spaces around it; of a very long line its end; empty: there is none.</returns>
    public static async Task<string> OfAsync(string file, CancellationToken cancellationToken)
    {
        if (!File.Exists(file))
            return "";
        await using var stream = new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        stream.Position = Math.Max(0, stream.Length - Longest);
        var end = new byte[Longest];
        var count = await stream.ReadAtLeastAsync(end, Longest, throwOnEndOfStream: false, cancellationToken);
        var text = Encoding.UTF8.GetString(end, 0, count).TrimEnd();
        return text[(text.LastIndexOf('\n') + 1)..].Trim();
    }
}
