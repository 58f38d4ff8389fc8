namespace DroneDelivery.Lab.Cluster;

/// <summary>A file that one process holds exclusively, until it exits.</summary>
internal static class ExclusiveFile
{
    // EWOULDBLOCK
    private const int LinuxWouldBlock = 11,
        MacWouldBlock = 35;

    /// <returns><c>null</c> if another process holds it.</returns>
    public static FileStream? TryOpen(
        string path,
        FileMode mode,
        FileAccess access = FileAccess.ReadWrite,
        FileOptions options = FileOptions.None
    )
    {
        try
        {
            return new FileStream(path, mode, access, FileShare.None, bufferSize: 1, options);
        }
        catch (IOException exception) when (exception.HResult is LinuxWouldBlock or MacWouldBlock)
        {
            return null;
        }
    }
}
