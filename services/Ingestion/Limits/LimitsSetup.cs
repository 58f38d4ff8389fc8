using DroneDelivery.ServiceDefaults.Security;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>What an API request passes before its route (docs/reference/limits.md). Probes and the description pass nothing.</summary>
internal static class LimitsSetup
{
    public static void AddLimits(this IServiceCollection services)
    {
        services.AddRequestTimeLimit();
        services.AddSingleton<RequestLimit>();
    }

    /// <summary>Call it before the routes are mapped.</summary>
    public static void UseLimits(this WebApplication app)
    {
        app.UseForApi(ingestion => ingestion.RequestTimeout > TimeSpan.Zero, api => api.UseRequestTimeouts());
        app.UseCallers();
        app.UseForApi(
            ingestion => ingestion.MaxConcurrentRequests > 0,
            api => api.Use(api.ApplicationServices.GetRequiredService<RequestLimit>().RunAsync)
        );
    }

    /// <summary>
    /// What is switched off costs nothing. Options are asked for when the server starts: by then a mistake in them has been told in one
    /// line.
    /// </summary>
    private static void UseForApi(
        this WebApplication app,
        Predicate<IngestionOptions> isOn,
        Action<IApplicationBuilder> use
    ) =>
        app.Use(next =>
        {
            if (!isOn(app.Services.GetRequiredService<IOptions<IngestionOptions>>().Value))
                return next;
            var branch = ((IApplicationBuilder)app).New();
            use(branch);
            branch.Run(next);
            var api = branch.Build();
            return context => context.Request.Path.StartsWithSegments("/api") ? api(context) : next(context);
        });
}
