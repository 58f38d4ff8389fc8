using StackExchange.Redis;

namespace DroneDelivery.Delivery.Redis;

/// <summary>Log-in with the identity of the process. This is the build that cannot; the other one compiles
/// <c>AzureSdk/RedisIdentity.cs</c> instead.</summary>
internal static class RedisIdentity
{
    public const bool IsSupported = false;

    public static Task LogInAsync(ConfigurationOptions configuration, CancellationToken cancellationToken) =>
        throw new NotSupportedException();
}
