using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Ingestion;

/// <summary>Section <c>Ingestion</c>: how much one process takes at a time, and what signs its Locations.</summary>
internal sealed class IngestionOptions
{
    public const string Section = "Ingestion";

    private const string KeyForm = $"It is not base64 of at least 32 bytes. {AcceptanceSecret.HowToMake}";

    /// <summary>API requests that one process works on at a time; the others wait, oldest first. 0: no limit.</summary>
    [Range(0, 100_000)]
    public int MaxConcurrentRequests { get; set; }

    /// <summary>API requests that may wait; one more is answered with 503. It counts only with a limit.</summary>
    [Range(0, 1_000_000)]
    public int MaxWaitingRequests { get; set; } = 1_000;

    /// <summary>How long an API request may take before it is answered with 504. 0: no limit.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:10:00")]
    public TimeSpan RequestTimeout { get; set; }

    /// <summary>
    /// Signs what Location carries: base64 of at least 32 bytes, the same for all replicas. Absent: it is derived from the key in
    /// <c>ServiceBus:ConnectionString</c>, which they share.
    /// </summary>
    [Base64String(ErrorMessage = KeyForm), RegularExpression(@"[^=]{43,}=*\s*", ErrorMessage = KeyForm)]
    public string? AcceptanceKey { get; set; }

    /// <summary>
    /// How long Location vouches for a request that is not recorded. It is as long as a message may wait in the queue, and at most 14 days:
    /// the other services remember deliveries and failed requests for 15.
    /// </summary>
    [Range(typeof(TimeSpan), "00:01:00", "14.00:00:00")]
    public TimeSpan AcceptanceLifetime { get; set; } = TimeSpan.FromDays(14);
}
