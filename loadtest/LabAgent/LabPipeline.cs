using DroneDelivery.LabAgent.Emulation;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Options;

namespace DroneDelivery.LabAgent;

/// <summary>
/// What an API request meets before the service's own middleware. Probes and documents are not what the stages measure: for them nothing is
/// emulated.
/// </summary>
internal sealed class LabPipeline(IOptions<EmulationOptions> options) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        app.UseMiddleware<ResponseCounts>();
        if (options.Value is { Latency: not null } or { CpuGate: not null })
            app.UseWhen(context => context.Request.Path.StartsWithSegments("/api"), api => api.UseMiddleware<EmulationMiddleware>());
        next(app);
    };
}
