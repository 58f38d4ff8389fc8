using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.Support;

internal static class LocalServer
{
    public static WebApplication Build(
        Action<WebApplicationBuilder>? configure = null,
        Dictionary<string, string?>? settings = null,
        int port = 0,
        X509Certificate2? certificate = null
    )
    {
        var builder = WebApplication.CreateSlimBuilder([
            .. (settings ?? []).Select(setting => $"--{setting.Key}={setting.Value}"),
        ]);
        builder.Logging.ClearProviders();
        builder
            .WebHost.UseKestrelHttpsConfiguration()
            .ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, port, listen =>
                {
                    if (certificate is not null)
                        listen.UseHttps(certificate);
                }));
        configure?.Invoke(builder);
        return builder.Build();
    }
}
