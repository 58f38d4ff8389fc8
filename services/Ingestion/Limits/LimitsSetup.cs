using DroneDelivery.ServiceDefaults.Security;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>What an API request passes before its route (docs/reference/limits.md). Probes and the description pass nothing.</summary>
internal static class LimitsSetup
{
    /// <summary>Call it before the routes are mapped.</summary>
    public static void UseLimits(this WebApplication app)
    {
        app.UseWhen(IsApi, api => api.UseRequestTimeouts());
        app.UseCallers();
        app.UseWhen(IsApi, api => api.UseMiddleware<RequestLimit>());
    }

    private static bool IsApi(HttpContext context) => context.Request.Path.StartsWithSegments("/api");
}
