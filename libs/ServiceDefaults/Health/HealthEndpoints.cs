using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace DroneDelivery.ServiceDefaults.Health;

internal static class HealthEndpoints
{
    public const string Prefix = "/health";

    /// <summary>Maps <c>/health/live</c>, which runs no checks, and <c>/health/ready</c>, which runs all.</summary>
    public static void MapHealth(this WebApplication app)
    {
        app.MapHealthChecks(
            $"{Prefix}/live",
            new HealthCheckOptions { Predicate = _ => false, ResponseWriter = WriteReport }
        );
        app.MapHealthChecks($"{Prefix}/ready", new HealthCheckOptions { ResponseWriter = WriteReport });
    }

    private static Task WriteReport(HttpContext context, HealthReport report) =>
        context.Response.WriteAsJsonAsync(
            new
            {
                status = report.Status.ToString(),
                checks = report.Entries.ToDictionary(
                    check => check.Key,
                    check => new { status = check.Value.Status.ToString(), check.Value.Description }
                ),
            }
        );
}
