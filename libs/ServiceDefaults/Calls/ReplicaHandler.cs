using System.Net.Sockets;

namespace DroneDelivery.ServiceDefaults.Calls;

/// <summary>
/// Sends each request to the next replica in turn. Every replica has its own connection pool, so the turn is per request and not per
/// connection, while the URL stays the logical one for whoever looks on. A replica that refuses connections is left out for a while,
/// and the request goes to the next one: nothing of it has been sent.
/// </summary>
internal sealed class ReplicaHandler : HttpMessageHandler
{
    private static readonly TimeSpan RestOfDeadReplica = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(2);

    private readonly Replica[] _replicas;
    private readonly TimeProvider _time;
    private uint _turn = (uint)Environment.ProcessId; // callers that start together should not all begin with the same replica

    public ReplicaHandler(IEnumerable<Uri> addresses, TimeProvider time)
    {
        _replicas = [.. addresses.Select(address => new Replica(address))];
        _time = time;
    }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        for (var tries = 1; ; tries++)
        {
            var replica = Next();
            try
            {
                return await replica.Invoker.SendAsync(request, cancellationToken);
            }
            catch (Exception exception) when (IsConnectFailure(exception, cancellationToken))
            {
                replica.RestUntil = _time.GetUtcNow() + RestOfDeadReplica;
                if (tries >= _replicas.Length)
                    throw;
                request.RemoveTraceHeaders();
            }
        }
    }

    private Replica Next()
    {
        var now = _time.GetUtcNow();
        var turn = Interlocked.Increment(ref _turn);
        for (var i = 0; i < _replicas.Length; i++)
        {
            var replica = _replicas[(turn + i) % _replicas.Length];
            if (replica.RestUntil <= now)
                return replica;
        }
        return _replicas[turn % _replicas.Length];
    }

    private static bool IsConnectFailure(Exception exception, CancellationToken cancellationToken) => exception
        is HttpRequestException { HttpRequestError: HttpRequestError.ConnectionError }
        or OperationCanceledException { InnerException: TimeoutException } && !cancellationToken.IsCancellationRequested;

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            foreach (var replica in _replicas)
                replica.Invoker.Dispose();
        base.Dispose(disposing);
    }

    private sealed class Replica(Uri address)
    {
        private long _restUntilTicks;

        public HttpMessageInvoker Invoker { get; } = new(new SocketsHttpHandler
        {
            ConnectTimeout = ConnectTimeout,
            AllowAutoRedirect = false,
            UseCookies = false,
            UseProxy = false,
            ConnectCallback = (_, cancellationToken) => ConnectAsync(address, cancellationToken),
        });

        public DateTimeOffset RestUntil
        {
            get => new(Interlocked.Read(ref _restUntilTicks), TimeSpan.Zero);
            set => Interlocked.Exchange(ref _restUntilTicks, value.UtcTicks);
        }

        private static async ValueTask<Stream> ConnectAsync(Uri address, CancellationToken cancellationToken)
        {
            var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            try
            {
                await socket.ConnectAsync(address.Host, address.Port, cancellationToken);
                return new NetworkStream(socket, ownsSocket: true);
            }
            catch
            {
                socket.Dispose();
                throw;
            }
        }
    }
}
