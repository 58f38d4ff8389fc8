using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Ingestion;

/// <summary>Section <c>Ingestion</c>: limits of a process, and the key of status URLs.</summary>
internal sealed class IngestionOptions
{
    public const string Section = "Ingestion";

    private const string KeyForm = $"Must be base64 of at least 32 bytes. {AcceptanceSecret.HowToGenerate}";

    /// <summary>Maximum number of concurrent API requests; others wait. 0 for no limit.</summary>
    [Range(0, 100_000)]
    public int MaxConcurrentRequests { get; set; }

    /// <summary>Maximum number of API requests that wait; further requests receive 503.</summary>
    [Range(0, 1_000_000)]
    public int MaxWaitingRequests { get; set; } = 1_000;

    /// <summary>Time limit of an API request, which then receives 504. 0 for no limit.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:10:00")]
    public TimeSpan RequestTimeout { get; set; }

    /// <summary>
    /// Signs status URLs: base64 of at least 32 bytes, the same for all replicas. <c>null</c> to derive it from the key in
    /// <c>ServiceBus:ConnectionString</c>.
    /// </summary>
    [Base64String(ErrorMessage = KeyForm), RegularExpression(@"[^=]{43,}=*\s*", ErrorMessage = KeyForm)]
    public string? AcceptanceKey { get; set; }

    /// <summary>
    /// Time for which a status URL is valid before its request is recorded: the maximum age of a queued message. The other services store
    /// deliveries and failed requests for at least 15 days.
    /// </summary>
    [Range(typeof(TimeSpan), "00:01:00", "14.00:00:00")]
    public TimeSpan AcceptanceLifetime { get; set; } = TimeSpan.FromDays(14);
}
