using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Delivery.Redis;

internal sealed class RedisOptions
{
    public const string Section = "Redis";

    /// <summary>Connection string of StackExchange.Redis: <c>host:port,password=…,ssl=true</c>.</summary>
    [Required]
    public string ConnectionString { get; set; } = "localhost:6379";

    /// <summary>Whether to authenticate with the managed identity.</summary>
    public bool UseIdentity { get; set; }

    /// <summary>Time limit of a command; then the request fails with 503.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:05:00")]
    public TimeSpan OperationTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// Time for which a delivery is stored after its last change or its landing. At least 15 days: a status URL is valid for up to 14, and
    /// a delivery that expired sooner would be pending again. Zero or empty for no expiry.
    /// </summary>
    /// <remarks>Requires the eviction policy <c>noeviction</c>; others evict active deliveries.</remarks>
    [Range(typeof(TimeSpan), "00:00:00", "3650.00:00:00")]
    public TimeSpan? KeyTimeToLive { get; set; } = TimeSpan.FromDays(30);
}
