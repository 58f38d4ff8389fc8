using System.Diagnostics;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace DroneDelivery.Calls;

/// <summary>
/// Sends each request to the next replica in turn. Every replica has its own connections, so the turn is per request and not per
/// connection, while the URL keeps the service's logical name for telemetry. A replica that refuses connections is skipped for a while, and
/// the request goes to the next one: nothing of it has been sent. Addresses may change in the configuration while requests are under way.
/// </summary>
internal sealed partial class ReplicaHandler(
    string service,
    IConfiguration configuration,
    TimeProvider time,
    ILogger<ReplicaHandler> logger
) : HttpMessageHandler
{
    private static readonly TimeSpan RestOfDeadReplica = TimeSpan.FromSeconds(2);

    private readonly Lock _lock = new();
    private IChangeToken _change = configuration.GetReloadToken();
    private volatile Replica[] _replicas = Of(ServiceAddresses.Read(configuration, service), known: [])
        is { Length: > 0 } listed
        ? listed
        : [new(new($"http://{service}"))];
    private uint _turn = (uint)Environment.ProcessId; // callers that start together should not all begin with the same replica

    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        if (_change.HasChanged)
            Reread();
        var replicas = _replicas;
        for (var tries = 1; ; tries++)
        {
            var replica = Next(replicas);
            RemoveTraceHeaders(request);
            try
            {
                return await replica.SendAsync(request, cancellationToken);
            }
            catch (HttpRequestException failure)
                when (failure.HttpRequestError
                        is HttpRequestError.ConnectionError
                            or HttpRequestError.NameResolutionError
                )
            {
                replica.RestUntil(time.GetUtcNow() + RestOfDeadReplica);
                if (tries >= replicas.Length)
                    throw;
            }
        }
    }

    /// <summary>The transport adds trace headers only where there are none: a second attempt would carry the span of the first.</summary>
    private static void RemoveTraceHeaders(HttpRequestMessage request)
    {
        foreach (var header in DistributedContextPropagator.Current.Fields)
            request.Headers.Remove(header);
    }

    private Replica Next(Replica[] replicas)
    {
        var now = time.GetUtcNow();
        var turn = Interlocked.Increment(ref _turn);
        for (var i = 0; i < replicas.Length; i++)
        {
            var replica = replicas[(turn + i) % replicas.Length];
            if (!replica.RestsAt(now))
                return replica;
        }
        return replicas[turn % replicas.Length];
    }

    private void Reread()
    {
        lock (_lock)
        {
            if (!_change.HasChanged)
                return;
            _change = configuration.GetReloadToken();
            try
            {
                if (ServiceAddresses.Read(configuration, service) is { Count: > 0 } addresses)
                    _replicas = Of(addresses, _replicas);
            }
            catch (OptionsValidationException mistake)
            {
                Unusable(logger, mistake.Message);
            }
        }
    }

    // A replica that stays keeps its connections. One that goes answers what it was sent; its connections end when they are idle.
    private static Replica[] Of(IReadOnlyList<Uri> addresses, Replica[] known) =>
        [
            .. addresses.Select(address =>
                Array.Find(known, replica => replica.Address == address) ?? new Replica(address)
            ),
        ];

    [LoggerMessage(Level = LogLevel.Warning, Message = "{Mistake} The addresses stay as they were.")]
    private static partial void Unusable(ILogger logger, string mistake);
}
