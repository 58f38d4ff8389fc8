namespace DroneDelivery.Lab.Tests.Processes;

/// <summary>Three dozen processes share a laptop: what each does beside its work is missing from the measurement.</summary>
public sealed class ReplicaSettingsTests
{
    [Fact]
    public async Task No_replica_watches_files()
    {
        Assert.SkipUnless(Directory.Exists("/proc"), "/proc is of Linux: watches were not looked for.");
        await using var running = await RunningApplication.StartAsync("none");

        foreach (var (service, replica) in running.Plan.AllReplicas)
            Assert.DoesNotContain("anon_inode:inotify", OpenFiles(running.Application[service, replica].Id));
    }

    private static string?[] OpenFiles(int process) =>
        [.. new DirectoryInfo($"/proc/{process}/fd").EnumerateFileSystemInfos().Select(file => file.LinkTarget)];
}
