using DroneDelivery.Lab;

namespace DroneDelivery.Articles.DiskWrites;

/// <summary>Compares buffer sizes for copying a file, on an emulated network share and on this machine's disk and memory.</summary>
internal sealed class DiskWritesPlayer : Player
{
    private const string SharedMemory = "/dev/shm";

    public override void RequireMachine(Scene scene)
    {
        var file = scene.Knobs.Count("disk.file");
        var free = Disk.FreeAt(Repository.Artifacts) / ShareCost.MiB;
        if (free < file + 16)
        {
            throw new LabException(
                $"{Repository.Artifacts} has {free} MiB of free space, but disk-writes writes {file} MiB files. "
                    + "Free up space, or set LAB_ARTIFACTS to a folder on another disk."
            );
        }
    }

    public override Exhibits Emulate(Scene scene, CancellationToken cancellationToken) =>
        new ShareGrid(ShareCost.Of(scene.Knobs)).Show();

    public override async Task<Exhibits> MeasureAsync(Scene scene, CancellationToken cancellationToken)
    {
        var (file, repetitions) = (scene.Knobs.Count("disk.file"), scene.Knobs.Count("disk.repetitions"));
        scene.Progress.Report($"files of {file} MiB on the disk, {repetitions} times each way");
        var disk = await new LocalDisk(scene.Folder, file).MeasureAsync(repetitions, cancellationToken);
        scene.Progress.Report($"files of {file} MiB in memory, {repetitions} times each way");
        var memory = await MeasureInMemoryAsync(file, repetitions, cancellationToken);
        return new(Figures(disk, file)) { Tables = [Table(disk, memory, file)] };
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

    private static async Task<IReadOnlyList<CopyResult>> MeasureInMemoryAsync(
        int file,
        int repetitions,
        CancellationToken cancellationToken
    )
    {
        if (!Directory.Exists(SharedMemory) || Disk.FreeAt(SharedMemory) < 2L * file * ShareCost.MiB)
            return [];
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

    private static ExperimentTable Table(IReadOnlyList<CopyResult> disk, IReadOnlyList<CopyResult> memory, int file) =>
        new(
            $"A file of {file} MiB on this machine",
            "Medians of all methods, measured round robin. Only the flushed one waits for the disk. "
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
