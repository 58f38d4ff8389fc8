using System.Runtime.InteropServices;

namespace DroneDelivery.Lab;

internal static class Repository
{
    public static string Root { get; } = FindRoot();

    /// <summary>The folder of everything that the lab writes. <c>LAB_ARTIFACTS</c> overrides it to run two labs at the same time.</summary>
    public static string Artifacts => ArtifactsOfFlow.Value ?? ArtifactsOfProcess;

    /// <summary>Overrides <see cref="Artifacts"/> in one asynchronous flow, for tests that run verbs concurrently.</summary>
    internal static AsyncLocal<string?> ArtifactsOfFlow { get; } = new();

    private static string ArtifactsOfProcess { get; } =
        Environment.GetEnvironmentVariable("LAB_ARTIFACTS") ?? Path.Combine(Root, "artifacts");

    public static string LabFolder => Path.Combine(Artifacts, "lab");

    /// <param name="project">The project folder, for example <c>Workflow</c>.</param>
    public static string Assembly(string project) =>
        Path.Combine(Root, "artifacts", "bin", project, "release", $"DroneDelivery.{project}.dll");

    /// <summary>The <c>dotnet</c> executable of this process's runtime, which can differ from the first one on PATH.</summary>
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
