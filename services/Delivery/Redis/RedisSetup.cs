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
    public static void AddRedis(this IServiceCollection services)
    {
        services
            .AddValidatedOptions<RedisOptions>(RedisOptions.Section)
            .Validate(
                options => CanParse(options.ConnectionString),
                "Redis:ConnectionString: must look like localhost:6379 or host:6380,password=…,ssl=true."
            );
        services.AddSingleton<StoreMetrics>();
        services.TryAddSingleton<TokenCredential>(_ => new DefaultAzureCredential());
        services.AddSingleton<RedisIdentity>();
        services.AddSingleton<RedisConnection>();
        services.AddHostedService(provider => provider.GetRequiredService<RedisConnection>());
        services.AddDependency("redis", RedisConnection.DoesNotAnswer, (provider, cancellationToken) =>
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
