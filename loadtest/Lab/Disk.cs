namespace DroneDelivery.Lab;

/// <summary>The disk of what the lab writes.</summary>
internal static class Disk
{
    /// <summary>Bytes that are free on the disk of a folder, which is made.</summary>
    public static long FreeAt(string folder) =>
        Keeping(folder, () => new DriveInfo(Directory.CreateDirectory(folder).FullName).AvailableFreeSpace);

    /// <summary>Writes what is kept of a run.</summary>
    public static T Keeping<T>(string folder, Func<T> write)
    {
        try
        {
            return write();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw CannotKeep(folder, exception);
        }
    }

    /// <summary>Writes what somebody asked for, and the folders that it needs.</summary>
    public static void Write(string file, string text)
    {
        try
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(file))!);
            File.WriteAllText(file, text);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"{file} cannot be written: {exception.Message}");
        }
    }

    /// <summary>Written aside and renamed: nobody reads half of it, and a disk that fills up leaves no half.</summary>
    public static void Replace(string file, string text)
    {
        File.WriteAllText(file + ".new", text);
        File.Move(file + ".new", file, overwrite: true);
    }

    public static LabException CannotKeep(string folder, Exception exception) =>
        new($"The run cannot be kept in {folder}: {exception.Message}");
}
