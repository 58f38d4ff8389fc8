using Microsoft.Extensions.Configuration.Memory;
using Microsoft.Extensions.Logging.Console;

namespace DroneDelivery.ServiceDefaults.Configuration;

internal static class ServiceLogging
{
    private const string FormatterKey = "Logging:Console:FormatterName";

    public static void AddServiceLogging(this WebApplicationBuilder builder)
    {
        // Any level creates a log scope for each request and, without telemetry, an unused activity.
        var isQuiet = builder.Configuration["Logging:LogLevel:Microsoft.AspNetCore"] is null;
        // The lowest priority: files, variables, and arguments override it.
        ((IConfigurationBuilder)builder.Configuration).Sources.Insert(
            0,
            new MemoryConfigurationSource
            {
                InitialData =
                [
                    new("Logging:LogLevel:Microsoft.AspNetCore", "Warning"),
                    new("Logging:LogLevel:Microsoft.AspNetCore.Hosting.Diagnostics", isQuiet ? "None" : null),
                    // ServiceRun reports startup errors in one line.
                    new("Logging:LogLevel:Microsoft.Extensions.Hosting.Internal.Host", "Critical"),
                    // /health/ready returns failures, which would be logged at each probe.
                    new("Logging:LogLevel:Microsoft.Extensions.Diagnostics.HealthChecks", "None"),
                ],
            }
        );
        // A slim builder overrides the configured formatter.
        builder.Services.Configure<ConsoleLoggerOptions>(console =>
            console.FormatterName = builder.Configuration[FormatterKey] ?? ConsoleFormatterNames.Simple
        );
    }
}
