using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Judge;

/// <summary>What is kept of a run: <c>run.json</c>, <c>report.html</c>, logs.</summary>
internal static class RunFolder
{
    // All stages at full length; nearly all of it is telemetry, and an eighth of the length makes an eighth of that (44 MiB).
    private const long RoomAtFullLength = 800L << 20;

    // Where less is left, somebody could not write: a database, the telemetry, a log.
    private const long Rest = 16 << 20;

    public const string FileName = "run.json",
        Report = "report.html";

    private const string Mark = "running";

    /// <exception cref="LabException">There is less room than a run may take.</exception>
    public static void RequireRoom(string folder, double k)
    {
        var room = (long)(RoomAtFullLength / k);
        var parent = Path.GetDirectoryName(folder)!;
        if (Disk.FreeAt(parent) is var free && free < room)
        {
            throw new LabException(
                $"{parent} has {free >> 20} MiB free, and logs and telemetry may need {room >> 20} MiB. "
                    + "Make room, or set LAB_ARTIFACTS to a folder on another disk."
            );
        }
    }

    /// <exception cref="LabException">The disk has become full: what was measured meanwhile says nothing about the application.</exception>
    public static void RequireRest(string folder, long rest = Rest)
    {
        if (Disk.FreeAt(folder) is var free && free < rest)
        {
            throw new LabException(
                $"The disk became full: {free >> 20} MiB are free in {folder}. Make room and play it again; "
                    + "the measurement is not valid."
            );
        }
    }

    public static void Write(string folder, RunRecord run) => WritePage(folder, FileName, run.ToJson());

    /// <returns>The file.</returns>
    public static string WritePage(string folder, string name, string text) => Disk.Keeping(folder, () =>
        {
            Directory.CreateDirectory(folder);
            var file = Path.Combine(folder, name);
            Disk.Replace(file, text);
            return file;
        });

    /// <summary>Marks a folder whose run is being played, until the mark is disposed or its process ends.</summary>
    public static FileStream? Begin(string folder) => Disk.Keeping(folder, () =>
        {
            Directory.CreateDirectory(folder);
            return HeldFile.TryOpen(Path.Combine(folder, Mark), FileMode.Create, options: FileOptions.DeleteOnClose);
        });

    /// <summary>Whether its run is being played now.</summary>
    public static bool IsPlayed(string folder)
    {
        try
        {
            using var mark = HeldFile.TryOpen(Path.Combine(folder, Mark), FileMode.Open, FileAccess.Read);
            return mark is null;
        }
        catch (Exception exception)
            when (exception is FileNotFoundException or DirectoryNotFoundException or UnauthorizedAccessException)
        {
            return false; // nobody has marked it, or it is none of ours
        }
    }

    /// <exception cref="BadInputException">A run that left nothing, or that is being played.</exception>
    public static RunRecord Read(string folder)
    {
        var file = Path.Combine(folder, FileName);
        if (File.Exists(file))
            return RunRecord.Read(file);
        throw new BadInputException(
            IsPlayed(folder)
                ? $"{Path.GetFileName(folder)} is running. Wait for its end, or name another run."
                : $"{file} is missing: that run was killed before it was saved."
        );
    }
}
