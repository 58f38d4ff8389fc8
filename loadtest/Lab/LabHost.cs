using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Lab;

internal static class LabHost
{
    /// <param name="maxBytes">The maximum size of a request body.</param>
    public static WebApplication Create(string url, long maxBytes)
    {
        // Reloading configuration would watch every folder below the current one.
        var builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls(url);
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Limits.MaxRequestBodySize = maxBytes);
        builder.Services.AddHttpForwarder();
        return builder.Build();
    }

    /// <exception cref="LabException">The port isn't available.</exception>
    public static async Task StartOrThrowAsync(
        this WebApplication host,
        string port,
        string advice,
        CancellationToken cancellationToken
    )
    {
        try
        {
            await host.StartAsync(cancellationToken);
        }
        catch (Exception exception)
            when (exception is SocketException || exception.InnerException is AddressInUseException)
        {
            await host.DisposeAsync();
            throw new LabException(
                $"{port} {(exception is SocketException ? $"is not available: {exception.Message}" : "is in use")}. {advice}"
            );
        }
    }
}
