using System.Text.Json;

namespace DroneDelivery.Lab.Cluster;

/// <summary>Prevents a second lab, because two would disturb each other's measurements. Released when the process exits.</summary>
internal sealed class LabLock : IDisposable
{
    private const int MaxAttempts = 10;

    // IsHeld takes the lock for some microseconds, which must not look like a running lab.
    private static readonly TimeSpan RetryDelay = TimeSpan.FromMilliseconds(20);

    private readonly FileStream _file;

    private LabLock(FileStream file) => _file = file;

    private static string FilePath => Path.Combine(Repository.LabFolder, "lock");

    private static string OwnerPath => Path.Combine(Repository.LabFolder, "owner");

    /// <param name="verb">The verb to report to a second lab.</param>
    public static async Task<LabLock> AcquireAsync(string verb)
    {
        var file = TryOpen();
        for (var attempt = 1; file is null && attempt < MaxAttempts; attempt++)
        {
            await Task.Delay(RetryDelay, TimeProvider.System);
            file = TryOpen();
        }
        if (file is null)
            throw new LabException(IsRunning(Owner()));
        Disk.Replace(OwnerPath, JsonSerializer.Serialize(new LabOwner(verb, Environment.ProcessId)));
        LabState.Delete(); // left by a crashed lab
        return new(file);
    }

    public static string IsRunning(LabOwner? owner)
    {
        var which = owner is null ? "" : $" (`lab {owner.Verb}`, process {owner.ProcessId})";
        return $"Another lab is running{which}. Wait until it ends, or stop it with `./lab down`.";
    }

    public static bool IsHeld()
    {
        using var file = TryOpen();
        return file is null;
    }

    public static LabOwner? Owner() =>
        IsHeld() && File.Exists(OwnerPath) ? JsonSerializer.Deserialize<LabOwner>(File.ReadAllText(OwnerPath)) : null;

    public void Dispose() => _file.Dispose();

    private static FileStream? TryOpen()
    {
        try
        {
            Directory.CreateDirectory(Repository.LabFolder);
            return ExclusiveFile.TryOpen(FilePath, FileMode.OpenOrCreate);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException(
                $"The lab cannot write to {Repository.LabFolder}: {exception.Message} Set LAB_ARTIFACTS to a writable folder."
            );
        }
    }
}

internal sealed record LabOwner(string Verb, int ProcessId);
