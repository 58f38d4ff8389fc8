using System.Runtime.Loader;
using DroneDelivery.LabAgent;
using DroneDelivery.PolicyPlugin;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Yarp.ReverseProxy.Transforms.Builder;

/// <summary>
/// Gives the gateway of an experiment two policies more, as transforms of YARP, which come after key and limit. The gateway itself is as
/// published. The runtime asks for this name, outside of every namespace.
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

    // Apart from the other, so that types of YARP are not looked for before the gateway builds its host.
    private static void AddPolicies(IHostBuilder host) =>
        host.ConfigureServices(services =>
            services
                .AddSingleton<ITransformFactory, ReturnResponse>()
                .AddSingleton<ITransformFactory, ValidateContent>()
        );
}
