using System.IO.Pipelines;
using System.Net;
using System.Net.WebSockets;
using DroneDelivery.LocalServiceBus.Admin;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>AMQP over WebSockets (AMQP WebSocket binding 1.0): binary messages, whose boundaries have no meaning, carry
/// the bytes of the connection.</summary>
internal static class WebSocketEndpoint
{
    public const string Path = "/$servicebus/websocket";

    // The names in the specification and in the SDK for .NET.
    private static readonly string[] SubProtocols = ["AMQPWSB10", "amqp"];

    public static void MapWebSocket(this IEndpointRouteBuilder routes) => routes.MapGet(Path, ServeAsync);

    private static async Task ServeAsync(HttpContext context, AmqpFrontEnd frontEnd)
    {
        if (context.WebSockets.WebSocketRequestedProtocols.Intersect(SubProtocols).FirstOrDefault() is not { } protocol)
        {
            var expected = string.Join(" or ", SubProtocols);
            await Atom.Error(HttpStatusCode.BadRequest, $"Expected a WebSocket with the protocol {expected}.")
                .ExecuteAsync(context);
            return;
        }
        using var socket = await context.WebSockets.AcceptWebSocketAsync(protocol);
        await using var stream = WebSocketStream.Create(socket, WebSocketMessageType.Binary, ownsWebSocket: false);
        var stopping = context.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested
            ?? default;
        await frontEnd.ServeAsync(new Transport(stream), stopping);
    }

    private sealed class Transport(Stream stream) : IDuplexPipe
    {
        public PipeReader Input { get; } = PipeReader.Create(stream, new StreamPipeReaderOptions(leaveOpen: true));

        public PipeWriter Output { get; } = PipeWriter.Create(stream, new StreamPipeWriterOptions(leaveOpen: true));
    }
}
