using Azure.Core;
using Azure.Identity;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.ServiceDefaults.Metrics;
using Microsoft.Extensions.DependencyInjection.Extensions;
using StackExchange.Redis;

namespace DroneDelivery.Delivery.Redis;

internal static class RedisSetup
{
    // Exceeds the maximum of Ingestion:AcceptanceLifetime.
    private static readonly TimeSpan MinKeyTimeToLive = TimeSpan.FromDays(15);

    public static void AddRedis(this IServiceCollection services)
    {
        services
            .AddValidatedOptions<RedisOptions>(RedisOptions.Section)
            .Validate(
                options => CanParse(options.ConnectionString),
                "Redis:ConnectionString: must look like localhost:6379 or host:6380,password=…,ssl=true."
            )
            .Validate(
                options =>
                    options.KeyTimeToLive is null
                    || options.KeyTimeToLive == TimeSpan.Zero
                    || options.KeyTimeToLive >= MinKeyTimeToLive,
                "Redis:KeyTimeToLive: must be at least 15 days, so that no delivery expires while its request counts as pending, "
                    + "or 00:00:00 for no expiry."
            );
        services.AddSingleton<StoreMetrics>();
        services.TryAddSingleton<TokenCredential>(_ => new DefaultAzureCredential());
        services.AddSingleton<RedisIdentity>();
        services.AddSingleton<RedisConnection>();
        services.AddHostedService(provider => provider.GetRequiredService<RedisConnection>());
        services.AddDependency("redis", RedisConnection.UnavailableMessage, (provider, cancellationToken) =>
            provider.GetRequiredService<RedisConnection>().PingAsync(cancellationToken)
        );
    }

    private static bool CanParse(string connectionString)
    {
        try
        {
            return ConfigurationOptions.Parse(connectionString).EndPoints.Count > 0;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }
}
