using DroneDelivery.LabAgent;
using DroneDelivery.LabAgent.Telemetry;
using Microsoft.Extensions.Hosting;

/// <summary>
/// How the lab gets into a service's process: the runtime calls this before the service's Main if <c>DOTNET_STARTUP_HOOKS</c> names this
/// assembly. The service itself is as published and knows nothing of it. The runtime asks for this name, outside of every namespace.
/// </summary>
internal static class StartupHook
{
    public static void Initialize()
    {
        // For this process alone, not for those that it may start.
        Environment.SetEnvironmentVariable("DOTNET_STARTUP_HOOKS", null);
        HostBuilding.WhenNext(AddLab);
    }

    // Apart from the other, so that types of the service's own libraries are not looked for before it builds its host.
    private static void AddLab(IHostBuilder host) =>
        host.ConfigureAppConfiguration((context, configuration) => configuration.AddAddressFiles(context.Configuration))
            .ConfigureServices((context, services) => services.AddLab().AddExactTelemetry(context.Configuration));
}
