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

    // Connections that speak HTTP, or haven't sent anything yet.
    private const int OtherConnections = 1000;

    /// <param name="certificate">Null: without TLS.</param>
    public static void Listen(KestrelServerOptions server, LocalServiceBusOptions options, Certificate? certificate)
    {
        server.AddServerHeader = false;
        server.Limits.MaxRequestBodySize = LargestRequestBody;
        // Leaves room for as many AMQP connections again, which are being rejected. WebSockets have a limit of their own.
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
        // The two loopback addresses cannot share a port that the system picks.
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
