namespace DroneDelivery.Lab;

internal static class Disk
{
    /// <summary>Creates a folder and returns the available bytes on its disk.</summary>
    public static long FreeAt(string folder) =>
        Saving(folder, () => new DriveInfo(Directory.CreateDirectory(folder).FullName).AvailableFreeSpace);

    /// <summary>Stores results and reports disk errors.</summary>
    public static T Saving<T>(string folder, Func<T> write)
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

    /// <summary>Writes a file that the user asked for.</summary>
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

    /// <summary>Replaces a file atomically.</summary>
    public static void Replace(string file, string text)
    {
        File.WriteAllText(file + ".new", text);
        File.Move(file + ".new", file, overwrite: true);
    }

    public static LabException CannotKeep(string folder, Exception exception) =>
        new($"The run cannot be saved in {folder}: {exception.Message}");
}
