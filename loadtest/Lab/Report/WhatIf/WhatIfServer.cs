using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>A server on the loopback with the page and nothing else.</summary>
internal static class WhatIfServer
{
    /// <param name="prices">Name of a file of loadtest/prices.</param>
    /// <param name="ports">Of a run that the page starts.</param>
    /// <exception cref="LabException">The port is in use.</exception>
    public static Task<ServedPage> StartAsync(int port, double k, string prices, Ports ports, CancellationToken cancellationToken)
    {
        var played = new PlayedRun(Path.Combine(Repository.Artifacts, "what-if"), ports);
        return ServedPage.StartAsync(port, mostBytes: 0, "/what-if", Map, played, cancellationToken);

        void Map(WebApplication host)
        {
            host.MapGet("/", () => Results.Redirect("/what-if"));
            host.MapWhatIf(k, () => PriceFile.Load(prices), played);
        }
    }
}
