using System.Net;
using System.Security.Authentication;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.LocalServiceBus.Hosting;

internal static class Endpoint
{
    // Far larger than any description of an entity.
    private const long MaxRequestBodyBytes = 1024 * 1024;

    // Connections that use HTTP or haven't sent anything yet.
    private const int OtherConnections = 1000;

    public static void Listen(KestrelServerOptions server, LocalServiceBusOptions options, Certificate? certificate)
    {
        server.AddServerHeader = false;
        server.Limits.MaxRequestBodySize = MaxRequestBodyBytes;
        // Leave room for connections that are being rejected. WebSockets have their own limit.
        server.Limits.MaxConcurrentConnections = 2 * (long)options.MaxConnections + OtherConnections;
        server.Limits.MaxConcurrentUpgradedConnections = server.Limits.MaxConcurrentConnections;
        Listen(server, options.Listen, options.PortToOpen, Serve);
        if (options.ManagementPort is { } management)
            Listen(server, options.Listen, management, Serve);

        void Serve(ListenOptions port) => Endpoint.Serve(port, certificate);
    }

    private static void Listen(KestrelServerOptions server, string where, int port, Action<ListenOptions> serve)
    {
        if (where == "*")
            server.ListenAnyIP(port, serve);
        else if (IPAddress.TryParse(where, out var address))
            server.Listen(address, port, serve);
        // The two loopback addresses can't share a port that the system chooses.
        else if (port == 0)
            server.Listen(IPAddress.Loopback, 0, serve);
        else
            server.ListenLocalhost(port, serve);
    }

    private static void Serve(ListenOptions port, Certificate? certificate)
    {
        port.Protocols = HttpProtocols.Http1;
        var firstBytes = port.ApplicationServices.GetRequiredService<FirstBytes>();
        if (certificate is not null)
        {
            port.Use(tls => connection => firstBytes.ServeTlsAsync(connection, tls));
            port.UseHttps(
                new HttpsConnectionAdapterOptions
                {
                    ServerCertificate = certificate.Own,
                    ServerCertificateChain = certificate.Issuers,
                    SslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
                }
            );
        }
        port.Use(http => connection => firstBytes.ServeAsync(connection, http));
    }
}
