using System.Net;
using System.Security.Authentication;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>Opens the broker's port on the web server.</summary>
internal static class Endpoint
{
    // A queue's description is far smaller; nothing else has a body.
    private const long LargestRequestBody = 1024 * 1024;

    /// <param name="server">Of the host.</param>
    /// <param name="options">Say where.</param>
    /// <param name="certificate">Null: without TLS.</param>
    public static void Listen(KestrelServerOptions server, LocalServiceBusOptions options, Certificate? certificate)
    {
        server.AddServerHeader = false;
        server.Limits.MaxRequestBodySize = LargestRequestBody;
        if (options.Listen == "*")
            server.ListenAnyIP(options.PortToOpen, Serve);
        else if (IPAddress.TryParse(options.Listen, out var address))
            server.Listen(address, options.PortToOpen, Serve);
        // The two loopback addresses cannot share a port that the system picks.
        else if (options.PortToOpen == 0)
            server.Listen(IPAddress.Loopback, 0, Serve);
        else
            server.ListenLocalhost(options.PortToOpen, Serve);

        void Serve(ListenOptions port) => Endpoint.Serve(port, certificate);
    }

    private static void Serve(ListenOptions port, Certificate? certificate)
    {
        port.Protocols = HttpProtocols.Http1;
        var firstBytes = port.ApplicationServices.GetRequiredService<FirstBytes>();
        if (certificate is not null)
        {
            port.Use(tls => connection => firstBytes.ServeTlsAsync(connection, tls));
            port.UseHttps(new HttpsConnectionAdapterOptions
            {
                ServerCertificate = certificate.Own,
                ServerCertificateChain = certificate.Issuers,
                SslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
            });
        }
        port.Use(http => connection => firstBytes.ServeAsync(connection, http));
    }
}
