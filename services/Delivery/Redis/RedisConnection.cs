using System.Diagnostics;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Metrics;
using DroneDelivery.ServiceDefaults.Telemetry;
using Microsoft.Extensions.Options;
using StackExchange.Redis;

namespace DroneDelivery.Delivery.Redis;

/// <summary>
/// The one connection of the process. It connects in the background and again after every loss, so the service starts without Redis;
/// every command ends within <see cref="RedisOptions.OperationTimeout"/>.
/// </summary>
internal sealed class RedisConnection : IHostedService, IAsyncDisposable
{
    public const string DoesNotAnswer = "The delivery store does not answer.";

    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    // What a server says that starts, hangs in a script or has lost its master; and one that is a replica by now, lacks its own, or
    // cannot save.
    private static readonly string[] RefusesAll = ["LOADING", "BUSY", "MASTERDOWN"], RefusesWrites = ["READONLY", "NOREPLICAS", "MISCONF"];

    private readonly StoreMetrics _metrics;
    private readonly TimeSpan _timeout;
    private readonly Outage _reachable;
    private readonly Outage _memory;
    private readonly Outage _writing;
    private readonly ConfigurationOptions _configuration;
    private readonly string _address;
    private readonly Connecting<ConnectionMultiplexer> _connecting;
    private readonly RedisIdentity? _identity;
    private readonly CancellationTokenSource _stopping = new();
    private Task _stayingLoggedIn = Task.CompletedTask;

    /// <param name="options">Where Redis is.</param>
    /// <param name="metrics">Counts the commands.</param>
    /// <param name="logger">Is told of outages.</param>
    /// <param name="identity">Logs in; null: the connection string does, or nobody.</param>
    public RedisConnection(
        IOptions<RedisOptions> options, StoreMetrics metrics, ILogger<RedisConnection> logger, RedisIdentity? identity)
    {
        _metrics = metrics;
        _timeout = options.Value.OperationTimeout;
        _reachable = new Outage("Redis", logger);
        _memory = new Outage("Redis memory", logger);
        _writing = new Outage("Writing to Redis", logger);
        _configuration = ConfigurationOptions.Parse(options.Value.ConnectionString);
        _configuration.AbortOnConnectFail = false;
        _address = AddressOf(_configuration.EndPoints[0]);
        _identity = identity;
        _connecting = new(ConnectAsync);
    }

    /// <param name="name">The command, as telemetry calls it.</param>
    /// <param name="command">Runs it.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="DependencyUnavailableException">
    /// Redis is away or silent for too long, has no memory left or takes no writes; the type says which.
    /// </exception>
    public async Task<T> WriteAsync<T>(string name, Func<IDatabase, Task<T>> command, CancellationToken cancellationToken)
    {
        var result = await ReadAsync(name, command, cancellationToken);
        // Only a write shows it: a Redis that is full or takes no writes goes on answering reads.
        _memory.Succeeded();
        _writing.Succeeded();
        return result;
    }

    /// <inheritdoc cref="WriteAsync"/>
    /// <exception cref="DependencyUnavailableException">Redis is away or silent for too long.</exception>
    public async Task<T> ReadAsync<T>(string name, Func<IDatabase, Task<T>> command, CancellationToken cancellationToken)
    {
        using var call = RedisCalls.Start(name, _address);
        var began = Stopwatch.GetTimestamp();
        try
        {
            var result = await AskAsync(command, cancellationToken);
            _metrics.Ended(began, "redis", name);
            return result;
        }
        catch (Exception exception)
        {
            var error = ResultOf(exception is DependencyUnavailableException { InnerException: { } cause } ? cause : exception);
            _metrics.Ended(began, "redis", name, error);
            call?.Failed(error);
            throw;
        }
    }

    /// <summary>Whether Redis answers. Health probes do not count as calls of the application.</summary>
    /// <exception cref="DependencyUnavailableException">It does not.</exception>
    public Task PingAsync(CancellationToken cancellationToken) => AskAsync(database => database.PingAsync(), cancellationToken);

    private async Task<T> AskAsync<T>(Func<IDatabase, Task<T>> command, CancellationToken cancellationToken)
    {
        try
        {
            var multiplexer = await ConnectedAsync(cancellationToken);
            var result = await RunAsync(multiplexer.GetDatabase(), command, cancellationToken);
            _reachable.Succeeded();
            return result;
        }
        catch (RedisServerException exception) when (IsOutOfMemory(exception))
        {
            throw OutOfMemory(exception);
        }
        catch (RedisServerException exception) when (Says(exception, RefusesWrites))
        {
            throw TakesNoWrites(exception);
        }
        catch (Exception exception) when (exception is RedisConnectionException or TimeoutException || Says(exception, RefusesAll))
        {
            throw Unreachable(exception);
        }
    }

    private async Task<ConnectionMultiplexer> ConnectedAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await _connecting.Current.WaitAsync(_timeout, cancellationToken);
        }
        catch (Exception exception) when (exception is not (OperationCanceledException or TimeoutException))
        {
            throw Unreachable(exception);
        }
    }

    private async Task<ConnectionMultiplexer> ConnectAsync()
    {
        if (_identity is null)
            return await ConnectionMultiplexer.ConnectAsync(_configuration);
        await _identity.LogInAsync(_stopping.Token);
        _configuration.Defaults = _identity;
        var connections = await ConnectionMultiplexer.ConnectAsync(_configuration);
        _stayingLoggedIn = _identity.StayLoggedInAsync(connections, _stopping.Token);
        return connections;
    }

    private async Task<T> RunAsync<T>(IDatabase database, Func<IDatabase, Task<T>> command, CancellationToken cancellationToken)
    {
        try
        {
            return await command(database).WaitAsync(_timeout, cancellationToken);
        }
        catch (RedisServerException exception) when (exception.Message.StartsWith("NOSCRIPT", StringComparison.Ordinal))
        {
            // A restarted Redis has forgotten the scripts; the client notices with this answer and loads them before the next call.
            return await command(database).WaitAsync(_timeout, cancellationToken);
        }
    }

    // Inside a script the same text comes with the script's name around it.
    private static bool IsOutOfMemory(RedisServerException exception) =>
        exception.Message.Contains("OOM command not allowed", StringComparison.Ordinal);

    private static string ResultOf(Exception exception) =>
        exception is RedisServerException server ? IsOutOfMemory(server) ? "OOM" : server.Message.Split(' ')[0] : exception.GetType().Name;

    private static bool Says(Exception exception, string[] errors) =>
        exception is RedisServerException && errors.Any(error => exception.Message.Contains($"{error} ", StringComparison.Ordinal));

    private DependencyUnavailableException OutOfMemory(Exception exception) => Unavailable(
        _memory,
        "urn:drone-delivery:redis-out-of-memory",
        "The delivery store is out of memory",
        "The delivery store has no memory left for another delivery.",
        "Redis has reached maxmemory and may not evict anything: raise maxmemory, or let keys expire (Redis:KeyTimeToLive).",
        exception);

    private DependencyUnavailableException TakesNoWrites(Exception exception) => Unavailable(
        _writing,
        "urn:drone-delivery:redis-read-only",
        "The delivery store takes no writes",
        "The delivery store takes no writes for now.",
        $"Redis takes no writes: {exception.Message}",
        exception);

    private DependencyUnavailableException Unreachable(Exception exception) => Unavailable(
        _reachable,
        "urn:drone-delivery:redis-unreachable",
        "The delivery store does not answer",
        DoesNotAnswer,
        $"Redis does not answer at {string.Join(", ", _configuration.EndPoints.Select(AddressOf))}. "
            + "Install and start it (apt-get install redis-server, brew install redis), or point Redis:ConnectionString to one.",
        exception);

    private static DependencyUnavailableException Unavailable(
        Outage outage, string type, string title, string detail, string inside, Exception exception)
    {
        outage.Failed(inside);
        return new DependencyUnavailableException(type, title, detail, RetryAfter, exception, inside);
    }

    private static string AddressOf(System.Net.EndPoint endPoint) =>
        endPoint is System.Net.DnsEndPoint dns ? $"{dns.Host}:{dns.Port}" : endPoint.ToString()!;

    /// <summary>Begins to connect; nobody waits for it but the first command.</summary>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        _ = _connecting.Current;
        return Task.CompletedTask;
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        await _stopping.CancelAsync();
        await _stayingLoggedIn.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    public async ValueTask DisposeAsync()
    {
        _stopping.Dispose();
        // A connection that is still being made is not worth the wait: the process ends, and its sockets with it.
        if (_connecting.Connected is { } connected)
            (await connected).Dispose();
    }
}
