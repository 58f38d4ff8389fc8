using System.CommandLine;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Yarp.ReverseProxy.Configuration;

namespace DroneDelivery.Bench.Gateway;

/// <summary>What the gateway is measured against: YARP with one route, and nothing else.</summary>
internal static class BareProxy
{
    public static Command Command()
    {
        var (port, backend) = (
            new Option<int>("--port") { Required = true },
            new Option<int>("--backend") { Required = true }
        );
        var command = new Command("bare-proxy", "The YARP that the gateway is measured against.") { port, backend };
        command.SetAction(
            (parsed, ct) =>
            {
                var builder = Builder(parsed.GetValue(port));
                var address = $"http://127.0.0.1:{parsed.GetValue(backend)}";
                builder
                    .Services.AddReverseProxy()
                    .LoadFromMemory(
                        [
                            new()
                            {
                                RouteId = "all",
                                ClusterId = "backend",
                                Match = new() { Path = "/{**path}" },
                            },
                        ],
                        [
                            new()
                            {
                                ClusterId = "backend",
                                Destinations = new Dictionary<string, DestinationConfig>
                                {
                                    ["0"] = new() { Address = address },
                                },
                            },
                        ]
                    );
                var app = builder.Build();
                app.MapReverseProxy();
                return ((IHost)app).RunAsync(ct);
            }
        );
        return command;
    }

    /// <summary>The service behind both: it reads a body and answers 202.</summary>
    public static Command BackendCommand()
    {
        var port = new Option<int>("--port") { Required = true };
        var command = new Command("bare-backend", "The service behind the gateways that are measured.") { port };
        command.SetAction(
            (parsed, ct) =>
            {
                var app = Builder(parsed.GetValue(port)).Build();
                app.Run(Answer);
                return ((IHost)app).RunAsync(ct);
            }
        );
        return command;
    }

    private static WebApplicationBuilder Builder(int port)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        return builder;
    }

    private static async Task Answer(HttpContext context)
    {
        await context.Request.Body.CopyToAsync(Stream.Null, context.RequestAborted);
        context.Response.StatusCode = StatusCodes.Status202Accepted;
        context.Response.ContentLength = 0;
    }
}
