using System.Net;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>Opens the broker's port on the web server.</summary>
internal static class Endpoint
{
    // A queue's description is far smaller; nothing else has a body.
    private const long LargestRequestBody = 1024 * 1024;

    public static void Listen(KestrelServerOptions server, LocalServiceBusOptions options)
    {
        server.AddServerHeader = false;
        server.Limits.MaxRequestBodySize = LargestRequestBody;
        if (options.Listen == "*")
            server.ListenAnyIP(options.Port, Serve);
        else if (IPAddress.TryParse(options.Listen, out var address))
            server.Listen(address, options.Port, Serve);
        // The two loopback addresses cannot share a port that the system picks.
        else if (options.Port == 0)
            server.Listen(IPAddress.Loopback, 0, Serve);
        else
            server.ListenLocalhost(options.Port, Serve);
    }

    private static void Serve(ListenOptions port)
    {
        port.Protocols = HttpProtocols.Http1;
        var firstBytes = port.ApplicationServices.GetRequiredService<FirstBytes>();
        port.Use(http => connection => firstBytes.ServeAsync(connection, http));
    }
}
