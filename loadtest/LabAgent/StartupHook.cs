using DroneDelivery.LabAgent;
using DroneDelivery.LabAgent.Telemetry;
using Microsoft.Extensions.Hosting;

/// <summary>
/// Adds the lab to an unmodified service. The runtime calls it before Main if <c>DOTNET_STARTUP_HOOKS</c> lists this assembly; it requires
/// this name and no namespace.
/// </summary>
internal static class StartupHook
{
    public static void Initialize()
    {
        // Not for child processes.
        Environment.SetEnvironmentVariable("DOTNET_STARTUP_HOOKS", null);
        HostBuilding.WhenNext(AddLab);
    }

    // Separate, so that types of the service's libraries are loaded only when it builds its host.
    private static void AddLab(IHostBuilder host) =>
        host.ConfigureAppConfiguration((context, configuration) => configuration.AddAddressFiles(context.Configuration))
            .ConfigureServices((context, services) => services.AddLab().AddExactTelemetry(context.Configuration));
}
