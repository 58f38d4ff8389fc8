using DroneDelivery.LabAgent.Emulation;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace DroneDelivery.LabAgent;

/// <summary>
/// What an API request meets before the service's own middleware. Probes and documents are not what the stages measure: for them nothing is
/// emulated.
/// </summary>
internal sealed class LabPipeline(EmulatedAnswers answers, CpuGate gate) : IStartupFilter
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
