using System.Text.Json;
using Azure.Core;
using Azure.Identity;
using DroneDelivery.Delivery;
using DroneDelivery.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.IdentityModel.JsonWebTokens;

namespace DroneDelivery.Services.Tests.Delivery;

/// <summary>A real Redis that uses access tokens as passwords, like Azure Managed Redis.</summary>
public sealed class RedisIdentityTests
{
    private const string User = "11111111-2222-3333-4444-555555555555";

    [Fact]
    public async Task Each_connection_authenticates_with_the_current_token()
    {
        await using var redis = await RedisFixture.StartAsync(Cancelled);
        var time = new ManualTimeProvider();
        var (given, refusals, begin, lifetime) = (0, 2, time.GetUtcNow(), TimeSpan.FromHours(1));
        var identity = new Identity(
            (context, _) =>
            {
                Assert.Equal(["https://redis.azure.com/.default"], context.Scopes);
                if (refusals-- > 0)
                    throw new AuthenticationFailedException("The identity is not known yet.");
                given = Math.Min(given + 1, 2);
                return new(TokenOf(given), begin + given * lifetime);
            }
        );
        await redis.CommandAsync($"ACL SETUSER {User} on ~* &* +@all >{TokenOf(1)}", Cancelled);
        await using var service = ServiceHost<DeliveryStore>.Start(
            new()
            {
                ["Redis:ConnectionString"] = redis.ConnectionString,
                ["Redis:UseIdentity"] = "true",
                ["Redis:OperationTimeout"] = "00:01:00", // Long enough for a busy machine.
            },
            time,
            services => services.AddSingleton<TokenCredential>(identity)
        );
        await Eventually.TrueAsync(() =>
        {
            time.Advance(TimeSpan.FromSeconds(1));
            return given > 0;
        });
        await service.Http.ReadyAsync();
        Assert.Equal(2, service.Logs.With("Getting a token for Redis failed").Count());
        var first = await AuthenticationsAsync(redis);
        Assert.True(first > 0);
        Assert.DoesNotContain(
            $"user={User}",
            await redis.CommandAsync("CLIENT LIST TYPE pubsub", Cancelled),
            StringComparison.Ordinal
        );

        // From here, the first token is invalid for new connections.
        await redis.CommandAsync($"ACL SETUSER {User} resetpass >{TokenOf(2)}", Cancelled);
        await Eventually.TrueAsync(async () =>
        {
            time.Advance(lifetime * 0.76);
            return await AuthenticationsAsync(redis) > first;
        });
        await redis.CommandAsync("CLIENT KILL TYPE normal", Cancelled);

        await Eventually.TrueAsync(async () =>
        {
            using var response = await service.Http.PutAsync("/api/deliveries/d1", Deliveries.Sample);
            return response.IsSuccessStatusCode;
        });
        Assert.Contains(
            $"user={User}",
            await redis.CommandAsync("CLIENT LIST TYPE normal", Cancelled),
            StringComparison.Ordinal
        );
    }

    private static async Task<int> AuthenticationsAsync(RedisFixture redis)
    {
        var statistics = await redis.CommandAsync("INFO commandstats", Cancelled);
        return statistics
            .Split('\n')
            .Where(line => line.StartsWith("cmdstat_auth:", StringComparison.Ordinal))
            .Select(line => line.Split('=', ',', ':'))
            .Sum(parts => int.Parse(parts[2], provider: null) - int.Parse(parts[^1], provider: null));
    }

    private static string TokenOf(int number) =>
        new JsonWebTokenHandler { SetDefaultTimesOnTokenCreation = false }.CreateToken(
            JsonSerializer.Serialize(new { oid = User, number })
        );
}
