using System.Runtime.Loader;
using DroneDelivery.LabAgent;
using DroneDelivery.PolicyPlugin;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Yarp.ReverseProxy.Transforms.Builder;

/// <summary>
/// Adds two policies to the unchanged gateway of an experiment, as YARP transforms that run after key and limit. The runtime requires this
/// name, without a namespace.
/// </summary>
internal static class StartupHook
{
    public static void Initialize()
    {
        var folder = Path.GetDirectoryName(typeof(StartupHook).Assembly.Location)!;
        AssemblyLoadContext.Default.Resolving += (context, name) =>
            Path.Combine(folder, $"{name.Name}.dll") is var file && File.Exists(file)
                ? context.LoadFromAssemblyPath(file)
                : null;
        HostBuilding.WhenNext(AddPolicies);
    }

    // Separate, so that YARP types are loaded only when the gateway builds its host.
    private static void AddPolicies(IHostBuilder host) =>
        host.ConfigureServices(services =>
            services
                .AddSingleton<ITransformFactory, ReturnResponse>()
                .AddSingleton<ITransformFactory, ValidateContent>()
        );
}
