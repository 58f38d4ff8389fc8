using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.Memory;

namespace DroneDelivery.ServiceDefaults.Configuration;

internal static class QuietLogging
{
    // The lowest configuration source, so that a file, an environment variable or an argument still decides.
    public static void AddQuietLogging(this WebApplicationBuilder builder) =>
        ((IConfigurationBuilder)builder.Configuration).Sources.Insert(0, new MemoryConfigurationSource
        {
            InitialData =
            [
                new("Logging:LogLevel:Microsoft.AspNetCore", "Warning"),
                // The answer of /health/ready says what failed; once per probe is too often for a log.
                new("Logging:LogLevel:Microsoft.Extensions.Diagnostics.HealthChecks", "None"),
            ],
        });
}
