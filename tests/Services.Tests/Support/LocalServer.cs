using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>A web server of the test's own.</summary>
internal static class LocalServer
{
    /// <param name="configure">Before it is built.</param>
    /// <param name="settings">As a command line would give them.</param>
    /// <param name="port">0: one that is free.</param>
    /// <param name="certificate">With one it speaks HTTPS.</param>
    /// <returns>It has yet to be started, and writes no log.</returns>
    public static WebApplication Build(
        Action<WebApplicationBuilder>? configure = null,
        Dictionary<string, string?>? settings = null,
        int port = 0,
        X509Certificate2? certificate = null)
    {
        var builder = WebApplication.CreateSlimBuilder([.. (settings ?? []).Select(setting => $"--{setting.Key}={setting.Value}")]);
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelHttpsConfiguration().ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, port, listen =>
        {
            if (certificate is not null)
                listen.UseHttps(certificate);
        }));
        configure?.Invoke(builder);
        return builder.Build();
    }
}
