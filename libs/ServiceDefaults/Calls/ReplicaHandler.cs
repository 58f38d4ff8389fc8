using System.Net.Sockets;
using System.Text;

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

    private readonly TimeProvider _time;
    private readonly IReplicaList? _list;
    private readonly Lock _lock = new();
    private volatile Replica[] _replicas;
    private uint _turn = (uint)Environment.ProcessId; // callers that start together should not all begin with the same replica

    /// <param name="addresses">The replicas.</param>
    /// <param name="time">Clock of a dead replica's rest.</param>
    /// <param name="list">Where other replicas are announced, if anywhere.</param>
    public ReplicaHandler(IEnumerable<Uri> addresses, TimeProvider time, IReplicaList? list = null)
    {
        _replicas = [.. addresses.Distinct().Select(address => new Replica(address))];
        _time = time;
        _list = list;
    }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        if (_list?.Changed() is { } addresses)
            Use(addresses);
        var replicas = _replicas;
        for (var tries = 1; ; tries++)
        {
            var replica = Next(replicas);
            try
            {
                return await replica.Invoker.SendAsync(request, cancellationToken);
            }
            catch (Exception exception) when (IsConnectFailure(exception, cancellationToken))
            {
                replica.RestUntil = _time.GetUtcNow() + RestOfDeadReplica;
                if (tries >= replicas.Length)
                    throw;
                request.RemoveTraceHeaders();
            }
            catch (ObjectDisposedException) when (replicas != _replicas)
            {
                (replicas, tries) = (_replicas, 0); // it has gone since it was chosen, and nothing was sent
            }
        }
    }

    // A replica that stays keeps its connections. One that goes still answers what it was sent, and then they end.
    private void Use(IReadOnlyList<Uri> addresses)
    {
        lock (_lock)
        {
            var gone = _replicas.ToDictionary(replica => replica.Address);
            _replicas = [.. addresses.Distinct().Select(address => gone.Remove(address, out var stays) ? stays : new Replica(address))];
            foreach (var replica in gone.Values)
                replica.Invoker.Dispose();
        }
    }

    private Replica Next(Replica[] replicas)
    {
        var now = _time.GetUtcNow();
        var turn = Interlocked.Increment(ref _turn);
        for (var i = 0; i < replicas.Length; i++)
        {
            var replica = replicas[(turn + i) % replicas.Length];
            if (replica.RestUntil <= now)
                return replica;
        }
        return replicas[turn % replicas.Length];
    }

    private static bool IsConnectFailure(Exception exception, CancellationToken cancellationToken) => exception
        is HttpRequestException { HttpRequestError: HttpRequestError.ConnectionError }
        or OperationCanceledException { InnerException: TimeoutException } && !cancellationToken.IsCancellationRequested;

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            foreach (var replica in _replicas)
                replica.Invoker.Dispose();
        }
        base.Dispose(disposing);
    }

    private sealed class Replica(Uri address)
    {
        private long _restUntilTicks;

        public Uri Address => address;

        public HttpMessageInvoker Invoker { get; } = new(new SocketsHttpHandler
        {
            ConnectTimeout = ConnectTimeout,
            AllowAutoRedirect = false,
            UseCookies = false,
            UseProxy = false,
            RequestHeaderEncodingSelector = static (_, _) => Encoding.UTF8, // as Kestrel reads them
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
