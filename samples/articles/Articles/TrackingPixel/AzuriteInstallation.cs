using System.Diagnostics;
using System.Security.Cryptography;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Articles.TrackingPixel;

/// <summary>Installs Azurite with <c>npm ci</c> from <c>samples/articles/azurite</c>, once for each pinned version.</summary>
/// <param name="findProgram">Returns the full path of node or npm; <c>null</c> if it isn't installed.</param>
internal sealed class AzuriteInstallation(string folder, Func<string, string?> findProgram)
{
    private const long Room = 500L << 20;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(10),
        Pause = TimeSpan.FromMilliseconds(200);

    private static readonly string[] Files = ["package.json", "package-lock.json", ".npmrc"];

    /// <summary>The installation on this machine.</summary>
    public static AzuriteInstallation Here { get; } =
        new(Path.Combine(Repository.Root, "artifacts", "azurite"), Executable.OnPath);

    private string Stamp => Path.Combine(folder, "installed");

    private string Script => Path.Combine(folder, "node_modules", "azurite", "dist", "src", "table", "main.js");

    public void RequirePrograms()
    {
        foreach (var program in (string[])["node", "npm"])
            _ = Find(program);
    }

    public IEnumerable<string> Command(int port) =>
        [
            Find("node"),
            Script,
            "--tableHost",
            "127.0.0.1",
            "--tablePort",
            $"{port}",
            "--inMemoryPersistence",
            "--disableTelemetry",
            "--skipApiVersionCheck", // accepts clients that are newer than Azurite
            "--silent",
        ];

    public async Task EnsureAsync(Action<string> say, CancellationToken cancellationToken)
    {
        if (IsInstalled())
            return;
        var npm = Find("npm");
        Directory.CreateDirectory(folder);
        using var onlyOne = await LockAsync(cancellationToken);
        if (!IsInstalled())
            await InstallAsync(npm, say, cancellationToken);
    }

    private string Find(string program) =>
        findProgram(program)
        ?? throw new MissingProgramException(
            $"{program} is not on PATH: the tracking service stores in Azurite, which needs Node.js 20 or newer and npm. "
                + "Install them: `apt install npm`, `dnf install npm`, `brew install node` or https://nodejs.org/"
        );

    private bool IsInstalled() => File.Exists(Stamp) && File.ReadAllText(Stamp) == Wanted() && File.Exists(Script);

    private static string Wanted() =>
        Convert.ToHexString(SHA256.HashData([.. Files.SelectMany(file => File.ReadAllBytes(SourceOf(file)))]));

    private static string SourceOf(string file) => Folder.Of("azurite", file);

    /// <summary>Locks the folder, so that only one of several processes installs.</summary>
    private async Task<FileStream> LockAsync(CancellationToken cancellationToken)
    {
        for (var began = Stopwatch.GetTimestamp(); ; await Task.Delay(Pause, cancellationToken))
        {
            if (ExclusiveFile.TryOpen(Path.Combine(folder, "lock"), FileMode.OpenOrCreate) is { } file)
                return file;
            if (Stopwatch.GetElapsedTime(began) > Patience)
                throw new LabException("Timed out waiting for another process to install Azurite.");
        }
    }

    private async Task InstallAsync(string npm, Action<string> say, CancellationToken cancellationToken)
    {
        var free = Disk.FreeAt(folder);
        if (free < Room)
        {
            throw new LabException(
                $"Azurite can't be installed: it requires {Room >> 20} MiB, but {folder} has only {free >> 20} MiB of free space."
            );
        }
        say("Installing Azurite with npm, once (370 MB in artifacts/azurite)…");
        foreach (var file in Files)
            File.Copy(SourceOf(file), Path.Combine(folder, file), overwrite: true);
        File.Delete(Stamp); // incomplete until npm has finished
        await RunAsync(npm, cancellationToken);
        await File.WriteAllTextAsync(Stamp, Wanted(), cancellationToken);
        say("Azurite is installed.");
    }

    private async Task RunAsync(string npm, CancellationToken cancellationToken)
    {
        var log = Path.Combine(folder, "npm.log");
        File.Delete(log);
        await using var process = ChildProcess.Start(
            "npm",
            log,
            folder,
            new Dictionary<string, string>(),
            [npm, "ci", "--prefer-offline", "--no-update-notifier", "--loglevel=error"]
        );
        var exit = await process.Ended.WaitAsync(cancellationToken);
        if (exit != 0)
            throw new LabException($"Azurite could not be installed: npm ended with exit code {exit}. Its log: {log}");
    }
}
