namespace DroneDelivery.Lab.Tests.Processes;

/// <summary>Three dozen processes share a laptop: what each does beside its work is missing from the measurement.</summary>
[Collection(SharedApplication.Name)]
public sealed class ReplicaSettingsTests(FaultyApplication faulty)
{
    [Fact]
    public void No_replica_watches_files()
    {
        Assert.SkipUnless(Directory.Exists("/proc"), "/proc is of Linux: watches were not looked for.");

        foreach (var (service, replica) in faulty.Running.Plan.AllReplicas)
            Assert.DoesNotContain("anon_inode:inotify", OpenFiles(faulty.Running.Application[service, replica].Id));
    }

    private static string?[] OpenFiles(int process) =>
        [.. new DirectoryInfo($"/proc/{process}/fd").EnumerateFileSystemInfos().Select(file => file.LinkTarget)];
}
