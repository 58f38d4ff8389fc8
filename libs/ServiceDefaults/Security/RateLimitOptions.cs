using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.ServiceDefaults.Security;

/// <summary>Section <c>RateLimit</c>: how many requests one client may send to the public routes of one process. Off by default.</summary>
internal sealed class RateLimitOptions
{
    public const string Section = "RateLimit";

    public bool Enabled { get; set; }

    /// <summary>Requests of one client in each window; one more gets 429.</summary>
    [Range(1, 1_000_000)]
    public int Permits { get; set; } = 100;

    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan Window { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Proxies in front that each add the address of their caller to <c>X-Forwarded-For</c>. Clients without a token are told apart by the
    /// address that the first of them saw, and <c>Location</c> starts with the prefix in <c>X-Forwarded-Prefix</c>. 0: both headers, which
    /// any client can write, are ignored.
    /// </summary>
    [Range(0, 10)]
    public int Proxies { get; set; }
}
