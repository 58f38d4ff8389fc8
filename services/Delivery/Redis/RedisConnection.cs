using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Metrics;
using Microsoft.Extensions.Options;
using StackExchange.Redis;

namespace DroneDelivery.Delivery.Redis;

/// <summary>
/// The one connection of the process. It connects in the background and again after every loss, so the service starts without Redis;
/// every command ends within <see cref="RedisOptions.OperationTimeout"/>.
/// </summary>
/// <param name="services">For the identity, if one logs in: to make it takes a library.</param>
internal sealed class RedisConnection(
    IOptions<RedisOptions> options,
    StoreMetrics metrics,
    ILogger<RedisConnection> logger,
    IServiceProvider services
) : BackgroundService
{
    public const string DoesNotAnswer = "The delivery store does not answer.";

    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private const string OutOfMemory = "OOM command not allowed";

    // Errors of a server that starts, hangs in a script or has lost its master; and of one that has become a replica, lacks replicas, or
    // can't save.
    private static readonly string[] RejectsAll = ["LOADING ", "BUSY ", "MASTERDOWN "],
        RejectsWrites = ["READONLY ", "NOREPLICAS ", "MISCONF "];

    private readonly TimeSpan _timeout = options.Value.OperationTimeout;
    private readonly ConfigurationOptions _configuration = ConfigurationOptions.Parse(options.Value.ConnectionString);
    private readonly TaskCompletionSource<ConnectionMultiplexer> _connection = new(
        TaskCreationOptions.RunContinuationsAsynchronously
    );
    private readonly Outage _reachable = new("Redis", logger);
    private readonly Outage _writing = new("Writing to Redis", logger);

    private string Address => field ??= AddressOf(_configuration.EndPoints[0]);

    /// <param name="name">The command, as telemetry calls it.</param>
    /// <exception cref="DependencyUnavailableException">
    /// Redis is away or silent for too long, has no memory left or takes no writes; the type says which.
    /// </exception>
    public async Task<T> WriteAsync<T>(
        string name,
        Func<IDatabase, Task<T>> command,
        CancellationToken cancellationToken
    )
    {
        var result = await ReadAsync(name, command, cancellationToken);
        _writing.Succeeded(); // a Redis that is full or read-only continues to serve reads
        return result;
    }

    /// <inheritdoc cref="WriteAsync"/>
    /// <exception cref="DependencyUnavailableException">Redis is away or silent for too long.</exception>
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

    /// <summary>Whether Redis answers. Health probes do not count as calls of the application.</summary>
    /// <exception cref="DependencyUnavailableException">It does not.</exception>
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

    /// <returns><c>null</c> for an error of the command itself.</returns>
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
                "Redis has reached maxmemory and may not evict anything: raise maxmemory, or let keys expire (Redis:KeyTimeToLive)."
            );
        }
        if (Mentions(exception, RejectsWrites))
        {
            return new(
                ProblemTypes.RedisReadOnly,
                "The delivery store takes no writes",
                "The delivery store takes no writes for now.",
                RetryAfter,
                exception,
                $"Redis takes no writes: {exception.Message}"
            );
        }
        return exception is RedisServerException && !Mentions(exception, RejectsAll)
            ? null
            : new(
                ProblemTypes.RedisUnreachable,
                "The delivery store does not answer",
                DoesNotAnswer,
                RetryAfter,
                exception,
                $"Redis does not answer at {string.Join(", ", _configuration.EndPoints.Select(AddressOf))}. "
                    + "Install and start it (apt-get install redis-server, brew install redis), or point Redis:ConnectionString to one."
            );
    }

    /// <summary>Whether the server reports one of these errors; inside a script, the name of the script precedes it.</summary>
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
