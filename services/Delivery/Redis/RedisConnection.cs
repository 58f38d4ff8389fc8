using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Metrics;
using Microsoft.Extensions.Options;
using StackExchange.Redis;

namespace DroneDelivery.Delivery.Redis;

/// <summary>The process's connection, which connects in the background, so that the service can start without Redis.</summary>
/// <param name="services">Resolves the managed identity on demand, because that loads a library.</param>
internal sealed class RedisConnection(
    IOptions<RedisOptions> options,
    StoreMetrics metrics,
    ILogger<RedisConnection> logger,
    IServiceProvider services
) : BackgroundService
{
    public const string UnavailableMessage = "The delivery store is unavailable.";

    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private const string OutOfMemory = "OOM command not allowed";

    // Errors of a server that is starting, busy with a script, or lost its master; and of one that is a replica, lacks replicas, or can't
    // save.
    private static readonly string[] RejectsAll = ["LOADING ", "BUSY ", "MASTERDOWN "],
        RejectsWrites = ["READONLY ", "NOREPLICAS ", "MISCONF "];

    private readonly TimeSpan _timeout = options.Value.OperationTimeout;
    private readonly ConfigurationOptions _configuration = ConfigurationOptions.Parse(options.Value.ConnectionString);
    private readonly TaskCompletionSource<ConnectionMultiplexer> _connection = new(
        TaskCreationOptions.RunContinuationsAsynchronously
    );
    private readonly OutageLog _reachable = new("Redis", logger);
    private readonly OutageLog _writing = new("Writing to Redis", logger);

    private string Address => field ??= AddressOf(_configuration.EndPoints[0]);

    /// <param name="name">The command's name in telemetry.</param>
    /// <exception cref="DependencyUnavailableException">Redis is unavailable, too slow, out of memory, or read-only.</exception>
    public async Task<T> WriteAsync<T>(
        string name,
        Func<IDatabase, Task<T>> command,
        CancellationToken cancellationToken
    )
    {
        var result = await ReadAsync(name, command, cancellationToken);
        _writing.Succeeded(); // a full or read-only Redis still serves reads
        return result;
    }

    /// <inheritdoc cref="WriteAsync"/>
    /// <exception cref="DependencyUnavailableException">Redis is unavailable or too slow.</exception>
    public async Task<T> ReadAsync<T>(
        string name,
        Func<IDatabase, Task<T>> command,
        CancellationToken cancellationToken
    )
    {
        using var call = RedisSpans.Start(name, Address);
        return await metrics.MeasureAsync(
            "redis",
            name,
            () => AskAsync(command, cancellationToken),
            failure =>
            {
                var error = ResultOf(failure);
                call?.Failed(error);
                return error;
            }
        );
    }

    /// <summary>Checks the connection, without metrics.</summary>
    public Task PingAsync(CancellationToken cancellationToken) =>
        AskAsync(database => database.PingAsync(), cancellationToken);

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        _configuration.AbortOnConnectFail = false;
        _configuration.AsyncTimeout = (int)_timeout.TotalMilliseconds;
        var identity = options.Value.UseIdentity ? services.GetRequiredService<RedisIdentity>() : null;
        if (identity is not null)
        {
            await identity.LogInAsync(stoppingToken);
            _configuration.Defaults = identity;
        }
        await using var connection = await ConnectionMultiplexer.ConnectAsync(_configuration).WaitAsync(stoppingToken);
        _connection.SetResult(connection);
        await (
            identity?.StayLoggedInAsync(connection, stoppingToken)
            ?? Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, stoppingToken)
        );
    }

    private async Task<T> AskAsync<T>(Func<IDatabase, Task<T>> command, CancellationToken cancellationToken)
    {
        try
        {
            var connection = await _connection.Task.WaitAsync(_timeout, cancellationToken);
            var result = await command(connection.GetDatabase()).WaitAsync(_timeout, cancellationToken);
            _reachable.Succeeded();
            return result;
        }
        catch (Exception exception)
            when (exception is RedisServerException or RedisConnectionException or TimeoutException)
        {
            if (FindOutage(exception) is not { } outage)
                throw;
            var isReachable = outage.ProblemType != ProblemTypes.RedisUnreachable;
            (isReachable ? _writing : _reachable).Failed(outage.Message);
            throw outage;
        }
    }

    /// <returns><c>null</c> if the command itself is invalid.</returns>
    private DependencyUnavailableException? FindOutage(Exception exception)
    {
        if (Mentions(exception, OutOfMemory))
        {
            return new(
                ProblemTypes.RedisOutOfMemory,
                "The delivery store is out of memory",
                "The delivery store has no memory left for another delivery.",
                RetryAfter,
                exception,
                "Redis reached maxmemory and evicts nothing. Raise maxmemory, or let keys expire (Redis:KeyTimeToLive)."
            );
        }
        if (Mentions(exception, RejectsWrites))
        {
            return new(
                ProblemTypes.RedisReadOnly,
                "The delivery store rejects writes",
                "The delivery store is read-only for now.",
                RetryAfter,
                exception,
                $"Redis rejects writes: {exception.Message}"
            );
        }
        return exception is RedisServerException && !Mentions(exception, RejectsAll)
            ? null
            : new(
                ProblemTypes.RedisUnreachable,
                "The delivery store is unavailable",
                UnavailableMessage,
                RetryAfter,
                exception,
                $"Redis is unavailable at {string.Join(", ", _configuration.EndPoints.Select(AddressOf))}. "
                    + "Install and start it (apt-get install redis-server, brew install redis), or set Redis:ConnectionString."
            );
    }

    /// <summary>Determines whether the server reported one of these errors, which the name of a failed script may precede.</summary>
    private static bool Mentions(Exception exception, params string[] errors) =>
        exception is RedisServerException
        && errors.Any(error => exception.Message.Contains(error, StringComparison.Ordinal));

    private static string ResultOf(Exception exception)
    {
        if (Mentions(exception, OutOfMemory))
            return "OOM";
        return exception is RedisServerException ? exception.Message.Split(' ')[0] : exception.GetType().Name;
    }

    private static string AddressOf(System.Net.EndPoint endPoint) =>
        endPoint is System.Net.DnsEndPoint dns ? $"{dns.Host}:{dns.Port}" : endPoint.ToString()!;
}
