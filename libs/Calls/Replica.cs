using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace DroneDelivery.Calls;

/// <summary>One replica of a service, with the connections to it.</summary>
internal sealed class Replica(Uri address)
    : HttpMessageInvoker(
        new SocketsHttpHandler
        {
            PooledConnectionLifetime =
                address.HostNameType == UriHostNameType.Dns ? NameLifetime : Timeout.InfiniteTimeSpan,
            AllowAutoRedirect = false,
            UseCookies = false,
            UseProxy = false,
            RequestHeaderEncodingSelector = static (_, _) => Encoding.UTF8, // as Kestrel reads them
            ConnectCallback = (_, cancellationToken) => ConnectAsync(address, cancellationToken),
        }
    )
{
    private const int LongestAnswer = 4 << 20;

    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(2);

    /// <summary>Of connections to a name: a scaled service gets new addresses, and DNS is asked only for a new connection.</summary>
    private static readonly TimeSpan NameLifetime = TimeSpan.FromSeconds(30);

    private long _restsUntil;

    public Uri Address => address;

    public bool RestsAt(DateTimeOffset now) => Interlocked.Read(ref _restsUntil) > now.UtcTicks;

    public void RestUntil(DateTimeOffset end) => Interlocked.Exchange(ref _restsUntil, end.UtcTicks);

    /// <summary>With the whole answer: a body that stalls must end with the timeout of the attempt.</summary>
    /// <exception cref="HttpRequestException">The replica cannot be reached, breaks off, or answers with more than 4 MB.</exception>
    public override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        var response = await base.SendAsync(request, cancellationToken);
        try
        {
            await response.Content.LoadIntoBufferAsync(LongestAnswer, cancellationToken);
            return response;
        }
        catch
        {
            response.Dispose(); // gives the connection back
            throw;
        }
    }

    // TLS is made here, not by the handler, because the URL of a request keeps the service's logical name.
    private static async ValueTask<Stream> ConnectAsync(Uri address, CancellationToken cancellationToken)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket
                .ConnectAsync(address.IdnHost, address.Port, cancellationToken)
                .AsTask()
                .WaitAsync(ConnectTimeout, cancellationToken);
            var plain = new NetworkStream(socket, ownsSocket: true);
            if (address.Scheme == Uri.UriSchemeHttp)
                return plain;
            var secured = new SslStream(plain);
            await secured.AuthenticateAsClientAsync(new() { TargetHost = address.IdnHost }, cancellationToken);
            return secured;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
