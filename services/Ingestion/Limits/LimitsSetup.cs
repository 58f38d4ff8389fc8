using DroneDelivery.ServiceDefaults.Security;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>What an API request passes before its route; docs/limits.md has the table. Probes and the description pass nothing.</summary>
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
        app.UseForApi(api => api.UseForwardedHeaders().UseRequestTimeouts());
        app.UseCallers();
        // Before a wrong token is refused: who tries many must not be served faster than who has one.
        app.UseForApi(api => api.UseRateLimiter());
        app.UseCallerPolicy();
        // Asked for when the server starts: by then a mistake in the options has been told in one line.
        app.UseForApi(api => api.Use(next => app.Services.GetRequiredService<RequestLimit>().Before(next)));
    }

    private static void UseForApi(this WebApplication app, Action<IApplicationBuilder> use) =>
        app.UseWhen(context => context.Request.Path.StartsWithSegments("/api"), use);
}
