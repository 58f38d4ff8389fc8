using DroneDelivery.ServiceDefaults.Security;

namespace DroneDelivery.Ingestion.Limits;

/// <summary>Limits of API requests (docs/reference/limits.md). Call it before you map routes.</summary>
internal static class LimitsSetup
{
    public static void UseLimits(this WebApplication app)
    {
        app.UseWhen(IsApi, api => api.UseRequestTimeouts());
        app.UseCallers();
        app.UseWhen(IsApi, api => api.UseMiddleware<RequestLimit>());
    }

    private static bool IsApi(HttpContext context) => context.Request.Path.StartsWithSegments("/api");
}
