using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Lab;

/// <summary>A server in the lab's own process.</summary>
internal static class LabHost
{
    /// <param name="url">Where it listens.</param>
    /// <param name="mostBytes">Of the body of a request.</param>
    public static WebApplication Create(string url, long mostBytes)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls(url);
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Limits.MaxRequestBodySize = mostBytes);
        builder.Services.AddHttpForwarder();
        return builder.Build();
    }

    /// <param name="inUse">What to say, and to do, if the port is in use.</param>
    /// <exception cref="LabException">The port is in use. The server is disposed of.</exception>
    public static async Task StartOrSayAsync(this WebApplication host, string inUse, CancellationToken cancellationToken)
    {
        try
        {
            await host.StartAsync(cancellationToken);
        }
        catch (IOException exception) when (exception.InnerException is AddressInUseException)
        {
            await host.DisposeAsync();
            throw new LabException(inUse);
        }
    }
}
