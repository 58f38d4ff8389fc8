using System.Net.Sockets;
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
        // To watch for changed settings is to watch every folder below the current one.
        var builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls(url);
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Limits.MaxRequestBodySize = mostBytes);
        builder.Services.AddHttpForwarder();
        return builder.Build();
    }

    /// <exception cref="LabException">It cannot listen there.</exception>
    public static async Task StartOrSayAsync(
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
                $"{port} {(exception is SocketException ? $"is refused: {exception.Message}" : "is in use")}. {advice}"
            );
        }
    }
}
