using System.Diagnostics;
using System.Globalization;
using System.Security.Cryptography;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// Azurite, as <c>npm ci</c> installs it from <c>loadtest/azurite</c>: once, into <c>artifacts/azurite</c>, and anew when the pinned
/// version has changed.
/// </summary>
/// <param name="findProgram">Full path of node or npm; null: it is not installed.</param>
internal sealed class AzuriteInstallation(string folder, Func<string, string?> findProgram)
{
    private const int OldestNode = 20;

    /// <summary>What it takes on disk, and a little more: bytes.</summary>
    private const long Room = 500L << 20;

    private const string NpmError = "npm error";

    // 457 packages: minutes from a slow registry.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(10),
        Pause = TimeSpan.FromMilliseconds(200);

    private static readonly string Source = Path.Combine(Repository.Root, "loadtest", "azurite");

    private static readonly string[] Files = ["package.json", "package-lock.json", ".npmrc"],
        Codes = ["code", "syscall", "errno", "path", "dest"];

    /// <summary>That of this machine. Labs side by side share it, as they share the build.</summary>
    private static readonly AzuriteInstallation Here = new(
        Path.Combine(Repository.Root, "artifacts", "azurite"),
        Executable.OnPath
    );

    private string Stamp => Path.Combine(folder, "installed");

    private string Script => Path.Combine(folder, "node_modules", "azurite", "dist", "src", "table", "main.js");

    public static string TableService => Here.Script;

    /// <summary>Looks for node, and installs Azurite where that has not been done.</summary>
    /// <returns>Full path of node.</returns>
    public static Task<string> RequireAsync(Action<string> say, CancellationToken cancellationToken) =>
        Here.EnsureAsync(say, cancellationToken);

    /// <inheritdoc cref="RequireAsync"/>
    internal async Task<string> EnsureAsync(Action<string> say, CancellationToken cancellationToken)
    {
        var node = Find("node");
        if (await VersionAsync(node, cancellationToken) is var version && version < OldestNode)
        {
            throw new LabException(
                $"Azurite needs Node.js {OldestNode} or newer, and {node} is version {version}. Install a newer one: https://nodejs.org/"
            );
        }
        if (IsInstalled())
            return node;
        var npm = Find("npm");
        Directory.CreateDirectory(folder);
        using var onlyOne = await LockAsync(cancellationToken);
        if (!IsInstalled())
            await InstallAsync(npm, say, cancellationToken);
        return node;
    }

    /// <summary>Only looks whether the programs are there.</summary>
    public static void RequirePrograms()
    {
        foreach (var program in (string[])["node", "npm"])
            _ = Here.Find(program);
    }

    private string Find(string program) => findProgram(program) ?? throw Missing(program);

    private static MissingProgramException Missing(string program) =>
        new(
            $"{program} is not on PATH: the tracking service stores in Azurite, which needs Node.js {OldestNode} or newer and npm. "
                + "Install them: `apt install npm`, `dnf install npm`, `brew install node` or https://nodejs.org/"
        );

    private bool IsInstalled() => File.Exists(Stamp) && File.ReadAllText(Stamp) == Wanted() && File.Exists(Script);

    private static string Wanted() =>
        Convert.ToHexString(
            SHA256.HashData([.. Files.SelectMany(file => File.ReadAllBytes(Path.Combine(Source, file)))])
        );

    private static async Task<int> VersionAsync(string node, CancellationToken cancellationToken)
    {
        var (_, text, _) = await Executable.RunAsync(node, ["--version"], cancellationToken); // v22.11.0
        return int.TryParse(text.TrimStart('v').Split('.')[0], CultureInfo.InvariantCulture, out var major) ? major : 0;
    }

    /// <summary>Of several labs that start at the same time, one installs.</summary>
    private async Task<FileStream> LockAsync(CancellationToken cancellationToken)
    {
        for (var began = Stopwatch.GetTimestamp(); ; await Task.Delay(Pause, cancellationToken))
        {
            if (HeldFile.TryOpen(Path.Combine(folder, "lock"), FileMode.OpenOrCreate) is { } file)
                return file;
            if (Stopwatch.GetElapsedTime(began) > Patience)
            {
                throw new LabException(
                    $"Timed out after {Patience.TotalMinutes} minutes waiting for another lab to install Azurite."
                );
            }
        }
    }

    private async Task InstallAsync(string npm, Action<string> say, CancellationToken cancellationToken)
    {
        RequireRoom();
        say("Installing Azurite with npm, once (370 MB in artifacts/azurite)…");
        foreach (var file in Files)
            File.Copy(Path.Combine(Source, file), Path.Combine(folder, file), overwrite: true);
        var began = Stopwatch.GetTimestamp();
        File.Delete(Stamp); // until npm is done, what is there is neither the old one nor the new one
        await RunAsync(npm, cancellationToken);
        await File.WriteAllTextAsync(Stamp, Wanted(), cancellationToken);
        say($"Azurite is installed, after {Stopwatch.GetElapsedTime(began).TotalSeconds:0} s.");
    }

    private void RequireRoom()
    {
        if (Disk.FreeAt(folder) is var free && free < Room)
        {
            throw new LabException(
                $"Azurite cannot be installed: there are {free >> 20} MiB free in {folder}, and it needs {Room >> 20}. Make room."
            );
        }
    }

    private async Task RunAsync(string npm, CancellationToken cancellationToken)
    {
        var log = Path.Combine(folder, "npm.log");
        File.Delete(log);
        // What npm has fetched before is not asked for again: its versions are pinned, and the lock file knows their hashes.
        await using var process = ChildProcess.Start(
            "npm",
            log,
            folder,
            new Dictionary<string, string>(),
            [npm, "ci", "--prefer-offline", "--no-update-notifier", "--loglevel=error"]
        );
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        timeout.CancelAfter(Patience);
        try
        {
            if (await process.Ended.WaitAsync(timeout.Token) is not 0 and var exit)
            {
                throw new LabException(
                    $"Azurite could not be installed: npm ended with exit code {exit}{Reason()}. Its log: {log}"
                );
            }
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new LabException(
                $"Azurite could not be installed within {Patience.TotalMinutes:0} minutes{Reason()}. Its log: {log}"
            );
        }

        string Reason() => ReasonIn(File.ReadLines(log));
    }

    /// <summary>What npm says in words, after codes and before the stack.</summary>
    private static string ReasonIn(IEnumerable<string> log) =>
        log.Where(line => line.StartsWith(NpmError, StringComparison.Ordinal))
            .Select(line => line[NpmError.Length..].Trim())
            .FirstOrDefault(line => line.Length > 0 && !Codes.Contains(line.Split(' ')[0]))
            is { } reason
            ? $" ({reason})"
            : "";
}
