using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.ServiceDiscovery;

namespace DroneDelivery.Calls;

/// <summary>
/// Sends each request to the next endpoint of the service, round robin. The URL keeps the service's name, by which telemetry groups
/// calls. An endpoint that rejects connections is skipped for a while, and the request goes to the next one: nothing of it has been sent.
/// </summary>
internal sealed class EndpointHandler(string service, ServiceEndpointResolver resolver, TimeProvider time)
    : HttpMessageHandler
{
    private const int MaxResponseSize = 4 << 20;

    private static readonly TimeSpan SkipDuration = TimeSpan.FromSeconds(2),
        ConnectTimeout = TimeSpan.FromSeconds(2),
        ConnectionLifetime = TimeSpan.FromSeconds(30); // DNS is queried only for a new connection

    private readonly ConcurrentDictionary<EndPoint, Connections> _connections = new();
    private uint _turn = (uint)Environment.ProcessId; // callers that start together don't all begin with the same endpoint

    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        var endpoints = (await resolver.GetEndpointsAsync($"https+http://{service}", cancellationToken)).Endpoints;
        for (var attempt = 1; ; attempt++)
        {
            var connections = Next(endpoints);
            // The transport adds trace headers only if there are none: another attempt would carry the span of this one.
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

    /// <summary>Reads the whole response, so that the timeout of the attempt also ends a body that stalls.</summary>
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
            // HttpClient doesn't wrap the exception if the peer resets a connection before the first byte is sent.
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
