using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Emulation;

internal static class EmulationSetup
{
    public static void AddEmulation(this IServiceCollection services)
    {
        services.AddValidatedOptions<EmulationOptions>(EmulationOptions.Section);
        services.AddSingleton(provider => new CpuGate(
            provider.GetRequiredService<IOptions<EmulationOptions>>(),
            provider.GetRequiredService<IHostApplicationLifetime>(),
            provider.GetRequiredService<ILogger<CpuGate>>()));
        services.AddSingleton<IAdmission>(provider => provider.GetRequiredService<CpuGate>());
        services.AddHostedService(provider => provider.GetRequiredService<CpuGate>());
    }

    /// <summary>
    /// Emulates on API routes alone: probes and documents are not what the stages measure. Call it after the exception handler, so that a
    /// gate that is gone becomes an answer.
    /// </summary>
    public static void UseEmulation(this WebApplication app) =>
        app.UseWhen(context => context.Request.Path.StartsWithSegments("/api"), api => api.UseMiddleware<EmulationMiddleware>());
}
