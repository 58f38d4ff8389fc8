using System.Runtime.CompilerServices;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>The tests have a folder of artifacts to themselves: a lab that somebody runs here is neither seen nor touched.</summary>
internal static class OwnArtifacts
{
    private static readonly string OfEverybody = Path.GetFullPath(
        Path.Combine(AppContext.BaseDirectory, "..", "..", "..")
    );

    /// <summary>Where tests/report-browser opens what the tests leave.</summary>
    public static string OfBrowserTests => Path.Combine(OfEverybody, "report-browser");

    [ModuleInitializer]
    internal static void Use()
    {
        Environment.SetEnvironmentVariable("LAB_ARTIFACTS", Path.Combine(OfEverybody, "lab-tests"));
        // For what they start, as build/test sets it for tests that do not simulate.
        Environment.SetEnvironmentVariable("DOTNET_TC_CallCountingDelayMs", "2000");
    }
}
