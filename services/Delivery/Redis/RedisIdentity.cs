using Azure.Core;
using Microsoft.IdentityModel.JsonWebTokens;
using StackExchange.Redis;
using StackExchange.Redis.Configuration;

namespace DroneDelivery.Delivery.Redis;

/// <summary>
/// Authenticates to Azure Managed Redis with the managed identity: the user is its object id, the password an access token. Redis closes
/// connections whose token has expired.
/// </summary>
internal sealed partial class RedisIdentity(
    TokenCredential credential,
    TimeProvider time,
    ILogger<RedisIdentity> logger
) : DefaultOptionsProvider
{
    private static readonly TokenRequestContext Scope = new(["https://redis.azure.com/.default"]);
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1),
        LongestWait = TimeSpan.FromDays(1);

    private volatile Login? _login;

    public override string? User => _login?.User;

    public override string? Password => _login?.Token;

    /// <summary>Disabled: the client would subscribe on a second connection, which commands can't authenticate again.</summary>
    public override string ConfigurationChannel => "";

    /// <summary>Gets the first token, with retries, because the identity may be newer than the pod.</summary>
    public async Task LogInAsync(CancellationToken cancellationToken)
    {
        while (!await TryRenewAsync(cancellationToken))
            await Task.Delay(RetryAfter, time, cancellationToken);
    }

    /// <summary>Authenticates all connections again whenever a new token is due.</summary>
    public async Task StayLoggedInAsync(IConnectionMultiplexer connections, CancellationToken cancellationToken)
    {
        while (true)
        {
            var left = _login!.RenewAt - time.GetUtcNow();
            var wait = Math.Clamp(left.Ticks, RetryAfter.Ticks, LongestWait.Ticks);
            await Task.Delay(TimeSpan.FromTicks(wait), time, cancellationToken);
            if (!await TryRenewAsync(cancellationToken))
                continue;
            foreach (var server in connections.GetServers().Where(server => server.IsConnected))
                await LogInAgainAsync(server, _login!);
        }
    }

    private async Task<bool> TryRenewAsync(CancellationToken cancellationToken)
    {
        try
        {
            var token = await credential.GetTokenAsync(Scope, cancellationToken);
            var now = time.GetUtcNow();
            var renewAt = token.RefreshOn ?? now + (token.ExpiresOn - now) * 0.75;
            _login = new(new JsonWebToken(token.Token).GetClaim("oid").Value, token.Token, renewAt);
            return true;
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            Log.NoToken(logger, exception.Message);
            return false;
        }
    }

    private async Task LogInAgainAsync(IServer server, Login login)
    {
        try
        {
            await server.ExecuteAsync("AUTH", login.User, login.Token);
        }
        catch (Exception exception) when (exception is RedisException or TimeoutException)
        {
            // A lost connection authenticates with the new token when it reconnects.
            Log.NotLoggedIn(logger, $"{server.EndPoint}", exception.Message);
        }
    }

    private sealed record Login(string User, string Token, DateTimeOffset RenewAt);

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Warning, Message = "Getting a token for Redis failed; retrying: {Failure}")]
        public static partial void NoToken(ILogger logger, string failure);

        [LoggerMessage(Level = LogLevel.Warning, Message = "Redis at {Address} rejected the new token: {Failure}")]
        public static partial void NotLoggedIn(ILogger logger, string address, string failure);
    }
}
