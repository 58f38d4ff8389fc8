using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Delivery.Redis;

/// <summary>Section <c>Redis</c>.</summary>
internal sealed class RedisOptions
{
    public const string Section = "Redis";

    /// <summary>As StackExchange.Redis reads it: <c>host:port,password=…,ssl=true</c>.</summary>
    [Required]
    public string ConnectionString { get; set; } = "localhost:6379";

    /// <summary>Log in with the identity of the process instead of a password.</summary>
    public bool UseIdentity { get; set; }

    /// <summary>How long a command may take; then the request is answered with 503.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:05:00")]
    public TimeSpan OperationTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// A delivery is kept this long after its last change or its landing, whichever is later: one that has still to fly is always there.
    /// At least 15 days: a status URL vouches for its request for up to 14, and a delivery that expires sooner would be pending again. Zero
    /// or empty: keys never expire, so the cache fills up.
    /// </summary>
    /// <remarks>A Redis that may evict keys that expire may evict any of them: run it with <c>noeviction</c>, or live deliveries
    /// vanish when memory is full.</remarks>
    [Range(typeof(TimeSpan), "00:00:00", "3650.00:00:00")]
    public TimeSpan? KeyTimeToLive { get; set; } = TimeSpan.FromDays(30);
}
