using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.ServiceDiscovery;

namespace DroneDelivery.Calls;

/// <summary>
/// Distributes requests round robin over the endpoints of a service. If a connection fails, the request goes to the next endpoint, and the
/// failed one is skipped for a while. The URL keeps the service name for telemetry.
/// </summary>
internal sealed class EndpointHandler(string service, ServiceEndpointResolver resolver, TimeProvider time)
    : HttpMessageHandler
{
    private const int MaxResponseSize = 4 << 20;

    private static readonly TimeSpan SkipDuration = TimeSpan.FromSeconds(2),
        ConnectTimeout = TimeSpan.FromSeconds(2),
        ConnectionLifetime = TimeSpan.FromSeconds(30); // DNS is resolved only for new connections

    private readonly ConcurrentDictionary<EndPoint, Connections> _connections = new();
    private uint _turn = (uint)Environment.ProcessId; // spreads the first calls of replicas that start together

    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        var endpoints = (await resolver.GetEndpointsAsync($"https+http://{service}", cancellationToken)).Endpoints;
        for (var attempt = 1; ; attempt++)
        {
            var connections = Next(endpoints);
            // The transport keeps existing trace headers, which belong to the previous attempt.
            foreach (var header in DistributedContextPropagator.Current.Fields)
                request.Headers.Remove(header);
            try
            {
                return await SendAsync(connections, request, cancellationToken);
            }
            catch (HttpRequestException failure)
                when (failure.HttpRequestError
                        is HttpRequestError.ConnectionError
                            or HttpRequestError.NameResolutionError
                )
            {
                connections.SkippedUntil = time.GetUtcNow() + SkipDuration;
                if (attempt >= endpoints.Count)
                    throw;
            }
        }
    }

    private Connections Next(IReadOnlyList<ServiceEndpoint> endpoints)
    {
        var turn = Interlocked.Increment(ref _turn);
        for (var i = 0; i < endpoints.Count; i++)
        {
            var candidate = ConnectionsTo(endpoints[(int)((turn + i) % endpoints.Count)]);
            if (candidate.SkippedUntil <= time.GetUtcNow())
                return candidate;
        }
        return ConnectionsTo(endpoints[(int)(turn % endpoints.Count)]);
    }

    private Connections ConnectionsTo(ServiceEndpoint endpoint) =>
        _connections.GetOrAdd(endpoint.EndPoint, _ =>
            new(endpoint.EndPoint is UriEndPoint { Uri: var address } ? address : new($"http://{endpoint}"))
        );

    /// <summary>Buffers the response, so that the attempt timeout also covers a stalled body.</summary>
    private static async Task<HttpResponseMessage> SendAsync(
        Connections connections,
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        try
        {
            var response = await connections.SendAsync(request, cancellationToken);
            try
            {
                await response.Content.LoadIntoBufferAsync(MaxResponseSize, cancellationToken);
                return response;
            }
            catch
            {
                response.Dispose(); // closes the connection
                throw;
            }
        }
        catch (SocketException reset)
        {
            // HttpClient doesn't wrap a connection reset before the first byte is sent.
            throw new HttpRequestException(HttpRequestError.ConnectionError, reset.Message, reset);
        }
    }

    private static async ValueTask<Stream> ConnectAsync(Uri address, CancellationToken cancellationToken)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket
                .ConnectAsync(address.IdnHost, address.Port, cancellationToken)
                .AsTask()
                .WaitAsync(ConnectTimeout, cancellationToken);
            var stream = new NetworkStream(socket, ownsSocket: true);
            if (address.Scheme == Uri.UriSchemeHttp)
                return stream;
            var encrypted = new SslStream(stream);
            await encrypted.AuthenticateAsClientAsync(new() { TargetHost = address.IdnHost }, cancellationToken);
            return encrypted;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private sealed class Connections(Uri address)
        : HttpMessageInvoker(
            new SocketsHttpHandler
            {
                PooledConnectionLifetime = ConnectionLifetime,
                AllowAutoRedirect = false,
                UseCookies = false,
                UseProxy = false,
                RequestHeaderEncodingSelector = static (_, _) => Encoding.UTF8, // as Kestrel reads them
                ConnectCallback = (_, cancellationToken) => ConnectAsync(address, cancellationToken),
            }
        )
    {
        public DateTimeOffset SkippedUntil { get; set; }
    }
}
