using DroneDelivery.ServiceDefaults.Security;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>What an API request passes before its route (docs/reference/limits.md). Probes and the description pass nothing.</summary>
internal static class LimitsSetup
{
    public static void AddLimits(this IServiceCollection services)
    {
        services.AddRequestTimeLimit();
        services.AddClientRateLimit();
        services.AddSingleton<RequestLimit>();
    }

    /// <summary>Call it before the routes are mapped.</summary>
    public static void UseLimits(this WebApplication app)
    {
        app.UseForApi<RateLimitOptions>(
            limit => limit.Proxies > 0,
            api => api.UseForwardedHeaders().Use(AddPrefixToLocation)
        );
        app.UseForApi<IngestionOptions>(
            ingestion => ingestion.RequestTimeout > TimeSpan.Zero,
            api => api.UseRequestTimeouts()
        );
        // Before a wrong token is refused: who tries many must not be served faster than who has one.
        app.UseCallers(beforeRefusal: () =>
            app.UseForApi<RateLimitOptions>(limit => limit.Enabled, api => api.UseRateLimiter())
        );
        app.UseForApi<IngestionOptions>(
            ingestion => ingestion.MaxConcurrentRequests > 0,
            api => api.Use(api.ApplicationServices.GetRequiredService<RequestLimit>().RunAsync)
        );
    }

    private static Task AddPrefixToLocation(HttpContext context, RequestDelegate next)
    {
        if (context.Request.PathBase.HasValue)
        {
            context.Response.OnStarting(() =>
            {
                if (context.Response.Headers.Location is [{ } location])
                    context.Response.Headers.Location = context.Request.PathBase + location;
                return Task.CompletedTask;
            });
        }
        return next(context);
    }

    /// <summary>
    /// What is switched off costs nothing. Options are asked for when the server starts: by then a mistake in them has been told in one
    /// line.
    /// </summary>
    private static void UseForApi<TOptions>(
        this WebApplication app,
        Predicate<TOptions> isOn,
        Action<IApplicationBuilder> use
    )
        where TOptions : class =>
        app.Use(next =>
        {
            if (!isOn(app.Services.GetRequiredService<IOptions<TOptions>>().Value))
                return next;
            var branch = ((IApplicationBuilder)app).New();
            use(branch);
            branch.Run(next);
            var api = branch.Build();
            return context => context.Request.Path.StartsWithSegments("/api") ? api(context) : next(context);
        });
}
