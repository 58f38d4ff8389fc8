using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.ServiceDefaults.Emulation;

internal static class EmulationSetup
{
    public static void AddEmulation(this IServiceCollection services) =>
        services.AddValidatedOptions<EmulationOptions>(EmulationOptions.Section);

    /// <summary>Emulates on API routes alone: probes and documents are not what the stages measure.</summary>
    public static void UseEmulation(this WebApplication app) =>
        app.UseWhen(context => context.Request.Path.StartsWithSegments("/api"), api => api.UseMiddleware<EmulationMiddleware>());
}
