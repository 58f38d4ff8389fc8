using DroneDelivery.LabAgent.Emulation;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace DroneDelivery.LabAgent;

/// <summary>
/// Runs before the service's own middleware. Emulates nothing for probes and OpenAPI documents, which the stages don't measure.
/// </summary>
internal sealed class LabPipeline(EmulatedResponses answers, CpuGate gate) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) =>
        app =>
        {
            app.UseMiddleware<ResponseCounts>();
            if (answers.HasLatency)
                app.Map("/$slowness", slowness => slowness.Run(answers.SlowAsync));
            if (answers.HasLatency || gate.IsOn)
            {
                app.Map("/$errors", errors => errors.Run(answers.FailAsync));
                app.UseWhen(
                    context => context.Request.Path.StartsWithSegments("/api"),
                    api => api.UseMiddleware<EmulationMiddleware>()
                );
            }
            next(app);
        };
}
