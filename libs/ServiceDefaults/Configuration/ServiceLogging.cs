using Microsoft.Extensions.Configuration.Memory;
using Microsoft.Extensions.Logging.Console;

namespace DroneDelivery.ServiceDefaults.Configuration;

internal static class ServiceLogging
{
    private const string FormatterKey = "Logging:Console:FormatterName";

    public static void AddServiceLogging(this WebApplicationBuilder builder)
    {
        // Otherwise the server makes a log scope for each request, and without telemetry an activity that nobody reads.
        var isQuiet = builder.Configuration["Logging:LogLevel:Microsoft.AspNetCore"] is null;
        // The lowest configuration source, so that a file, an environment variable or an argument still decides.
        ((IConfigurationBuilder)builder.Configuration).Sources.Insert(
            0,
            new MemoryConfigurationSource
            {
                InitialData =
                [
                    new("Logging:LogLevel:Microsoft.AspNetCore", "Warning"),
                    new("Logging:LogLevel:Microsoft.AspNetCore.Hosting.Diagnostics", isQuiet ? "None" : null),
                    // ServiceRun says why a service does not start, in one line.
                    new("Logging:LogLevel:Microsoft.Extensions.Hosting.Internal.Host", "Critical"),
                    // The answer of /health/ready says what failed; once per probe is too often for a log.
                    new("Logging:LogLevel:Microsoft.Extensions.Diagnostics.HealthChecks", "None"),
                ],
            }
        );
        // A slim builder sets its own formatter over the configured one.
        builder.Services.Configure<ConsoleLoggerOptions>(console =>
            console.FormatterName = builder.Configuration[FormatterKey] ?? ConsoleFormatterNames.Simple
        );
    }
}
