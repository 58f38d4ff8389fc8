using System.Runtime.InteropServices;

namespace DroneDelivery.Lab;

/// <summary>Where things are on disk.</summary>
internal static class Repository
{
    /// <summary>The folder of the solution.</summary>
    public static string Root { get; } = FindRoot();

    /// <summary>Everything that the lab writes. <c>LAB_ARTIFACTS</c> puts it elsewhere, so that two labs can run side by side.</summary>
    public static string Artifacts => ArtifactsOfFlow.Value ?? ArtifactsOfProcess;

    /// <summary>Replaces <see cref="Artifacts"/> in one asynchronous flow: tests run verbs side by side in one process.</summary>
    internal static AsyncLocal<string?> ArtifactsOfFlow { get; } = new();

    private static string ArtifactsOfProcess { get; } =
        Environment.GetEnvironmentVariable("LAB_ARTIFACTS") ?? Path.Combine(Root, "artifacts");

    /// <summary>What belongs to the lab that runs now: lock, state, the application of <c>lab up</c>.</summary>
    public static string LabFolder => Path.Combine(Artifacts, "lab");

    /// <summary>A built project: a service, or what is added to one.</summary>
    /// <param name="project">Its folder's name: <c>Workflow</c>.</param>
    public static string Assembly(string project) =>
        Path.Combine(Root, "artifacts", "bin", project, "release", $"DroneDelivery.{project}.dll");

    /// <summary>The <c>dotnet</c> that runs this process: services run on the same runtime even when another is first on PATH.</summary>
    public static string Dotnet { get; } =
        Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", "dotnet"));

    private static string FindRoot()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "DroneDelivery.slnx")))
        {
            folder = Path.GetDirectoryName(folder)
                ?? throw new LabException(
                    $"DroneDelivery.slnx was not found above {AppContext.BaseDirectory}: run the lab from its repository."
                );
        }
        return folder;
    }
}
