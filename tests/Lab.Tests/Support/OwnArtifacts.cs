using System.Runtime.CompilerServices;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// Uses a separate artifacts folder, so that the tests neither see nor affect a lab of the developer.
/// </summary>
internal static class OwnArtifacts
{
    private static readonly string OfEverybody = Path.GetFullPath(
        Path.Combine(AppContext.BaseDirectory, "..", "..", "..")
    );

    /// <summary>The folder from which tests/report-browser opens the output of the tests.</summary>
    public static string OfBrowserTests => Path.Combine(OfEverybody, "report-browser");

    [ModuleInitializer]
    internal static void Use()
    {
        Environment.SetEnvironmentVariable("LAB_ARTIFACTS", Path.Combine(OfEverybody, "lab-tests"));
        // For child processes, as build/test sets it for tests without simulations.
        Environment.SetEnvironmentVariable("DOTNET_TC_CallCountingDelayMs", "2000");
    }
}
