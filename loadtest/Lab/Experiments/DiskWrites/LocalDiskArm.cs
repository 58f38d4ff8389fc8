using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;
using static DroneDelivery.Lab.Experiments.ShareCost;

namespace DroneDelivery.Lab.Experiments;

internal static class LocalDiskArm
{
    private const string SharedMemory = "/dev/shm";

    public static void RequireMachine(Scene scene)
    {
        var (file, needed) = (scene.Knobs["disk.file"], (long)scene.Knobs["disk.file"] * MiB + 16 * MiB);
        if (Disk.FreeAt(Repository.Artifacts) is var free && free < needed)
        {
            throw new LabException(
                $"There are {free / MiB} MiB free in {Repository.Artifacts}; disk-writes writes files of {file} MiB. "
                    + "Make room, or set LAB_ARTIFACTS to a folder on another disk."
            );
        }
    }

    public static async Task<Exhibits> MeasureAsync(Scene scene, CancellationToken cancellationToken)
    {
        int file = (int)scene.Knobs["disk.file"],
            repetitions = (int)scene.Knobs["disk.repetitions"];
        scene.Progress.Report($"files of {file} MiB on the disk, {repetitions} times each way");
        var disk = await new LocalDisk(scene.Place.Folder, file).MeasureAsync(repetitions, cancellationToken);
        var memory = await MeasureInMemoryAsync(file, repetitions, scene.Progress, cancellationToken);
        return new(Figures(disk, file)) { Tables = [Table(disk, memory, file)] };
    }

    private static async Task<IReadOnlyList<CopyResult>> MeasureInMemoryAsync(
        int file,
        int repetitions,
        IProgress<string> progress,
        CancellationToken cancellationToken
    )
    {
        if (!Directory.Exists(SharedMemory) || new DriveInfo(SharedMemory).AvailableFreeSpace < 2L * file * MiB)
            return [];
        progress.Report($"files of {file} MiB in memory, {repetitions} times each way");
        var folder = Directory.CreateDirectory(Path.Combine(SharedMemory, $"drone-delivery-{Environment.ProcessId}"));
        try
        {
            return await new LocalDisk(folder.FullName, file).MeasureAsync(repetitions, cancellationToken);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    internal static Dictionary<string, double> Figures(IReadOnlyList<CopyResult> results, int file)
    {
        var ways = results.ToDictionary(way => way.Name);
        return new()
        {
            ["disk.throughput"] = file / results.Min(way => way.Milliseconds) * 1000,
            ["disk.wholeFilePerBest"] = ways[LocalDisk.Whole].Milliseconds / ways[LocalDisk.Tuned].Milliseconds,
            ["disk.internalBuffer"] = ways[LocalDisk.Buffered].AllocatedMiB - ways[LocalDisk.Skipped].AllocatedMiB,
        };
    }

    private static ExperimentTable Table(IReadOnlyList<CopyResult> disk, IReadOnlyList<CopyResult> memory, int file) =>
        new(
            $"A file of {file} MiB on this machine",
            "Medians, all ways in turn; only the flushed one waits for the disk. "
                + (memory.Count > 0 ? $"Memory is {SharedMemory}." : "No folder in memory has room enough."),
            ["how", "disk, ms#", "memory, ms#", "allocated, MiB#"],
            [.. disk.Select((way, i) => Row(way, memory.ElementAtOrDefault(i)))]
        );

    private static IReadOnlyList<string> Row(CopyResult disk, CopyResult? memory) =>
        [
            disk.Name,
            $"{disk.Milliseconds:0.0}",
            memory is null ? "–" : $"{memory.Milliseconds:0.0}",
            $"{disk.AllocatedMiB:0.00}",
        ];
}
