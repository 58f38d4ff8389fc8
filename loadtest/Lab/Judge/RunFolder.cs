using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Judge;

/// <summary>The stored results of a run: <c>run.json</c>, <c>report.html</c>, logs.</summary>
internal static class RunFolder
{
    // For all stages at full scale. Most of it is telemetry, so 1/8 scale needs 44 MiB.
    private const long RoomAtFullLength = 800L << 20;

    // Below this, a write might have failed.
    private const long MinSpace = 16 << 20;

    public const string FileName = "run.json",
        Report = "report.html";

    private const string Mark = "running";

    /// <exception cref="LabException">The disk doesn't have enough space for the run.</exception>
    public static void RequireSpace(string folder, double k)
    {
        var room = (long)(RoomAtFullLength / k);
        var parent = Path.GetDirectoryName(folder)!;
        if (Disk.FreeAt(parent) is var free && free < room)
        {
            throw new LabException(
                $"{parent} has {free >> 20} MiB free, and logs and telemetry may need {room >> 20} MiB. "
                    + "Free up space, or set LAB_ARTIFACTS to a folder on another disk."
            );
        }
    }

    /// <exception cref="LabException">The disk was full, so the results are invalid.</exception>
    public static void RequireMinSpace(string folder, long minSpace = MinSpace)
    {
        if (Disk.FreeAt(folder) is var free && free < minSpace)
        {
            throw new LabException(
                $"The disk is full: {free >> 20} MiB are free in {folder}. The measurement is invalid; "
                    + "free up space and run again."
            );
        }
    }

    public static void Write(string folder, RunRecord run) => WritePage(folder, FileName, run.ToJson());

    public static string WritePage(string folder, string name, string text) => Disk.Saving(folder, () =>
        {
            Directory.CreateDirectory(folder);
            var file = Path.Combine(folder, name);
            Disk.Replace(file, text);
            return file;
        });

    /// <summary>Marks a folder as used by a run, until it is disposed or the process exits.</summary>
    public static FileStream? Begin(string folder) => Disk.Saving(folder, () =>
        {
            Directory.CreateDirectory(folder);
            return ExclusiveFile.TryOpen(
                Path.Combine(folder, Mark),
                FileMode.Create,
                options: FileOptions.DeleteOnClose
            );
        });

    public static bool IsPlayed(string folder)
    {
        try
        {
            using var mark = ExclusiveFile.TryOpen(Path.Combine(folder, Mark), FileMode.Open, FileAccess.Read);
            return mark is null;
        }
        catch (Exception exception)
            when (exception is FileNotFoundException or DirectoryNotFoundException or UnauthorizedAccessException)
        {
            return false; // unmarked, or not a run of the lab
        }
    }

    /// <exception cref="BadInputException">The run has no results, or is in progress.</exception>
    public static RunRecord Read(string folder)
    {
        var file = Path.Combine(folder, FileName);
        if (File.Exists(file))
            return RunRecord.Read(file);
        throw new BadInputException(
            IsPlayed(folder)
                ? $"{Path.GetFileName(folder)} is running. Wait until it ends, or specify another run."
                : $"{file} is missing: that run was killed before it was saved."
        );
    }
}
