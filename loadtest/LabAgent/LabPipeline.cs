using DroneDelivery.LabAgent.Emulation;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace DroneDelivery.LabAgent;

/// <summary>
/// What an API request meets before the service's own middleware. Probes and documents are not what the stages measure: for them nothing is
/// emulated.
/// </summary>
internal sealed class LabPipeline(EmulatedLatency latency, EmulatedErrors errors, CpuGate gate) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        app.UseMiddleware<ResponseCounts>();
        if (latency.IsOn)
            app.Map(EmulatedLatency.Route, slowness => slowness.Run(latency.SlowAsync));
        if (latency.IsOn || gate.IsOn)
        {
            app.Map(EmulatedErrors.Route, share => share.Run(errors.SetAsync));
            app.UseWhen(context => context.Request.Path.StartsWithSegments("/api"), api => api.UseMiddleware<EmulationMiddleware>());
        }
        next(app);
    };
}
