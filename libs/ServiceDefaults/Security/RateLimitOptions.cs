using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.ServiceDefaults.Security;

/// <summary>Section <c>RateLimit</c>: limit of a client's requests to the public routes of one process.</summary>
internal sealed class RateLimitOptions
{
    public const string Section = "RateLimit";

    public bool Enabled { get; set; }

    /// <summary>Requests of a client in each window; further requests receive 429.</summary>
    [Range(1, 1_000_000)]
    public int Permits { get; set; } = 100;

    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan Window { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Number of trusted proxies, each of which adds its client to <c>X-Forwarded-For</c>. The first of them identifies the client, and
    /// <c>Location</c> starts with <c>X-Forwarded-Prefix</c>. With 0, both headers are ignored.
    /// </summary>
    [Range(0, 10)]
    public int Proxies { get; set; }
}
