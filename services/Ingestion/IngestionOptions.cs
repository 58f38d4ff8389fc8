using System.ComponentModel.DataAnnotations;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Configuration;

namespace DroneDelivery.Ingestion;

/// <summary>Section <c>Ingestion</c>: how much one process takes at a time, and what signs its Locations.</summary>
internal sealed class IngestionOptions : IValidatableObject
{
    public const string Section = "Ingestion";

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
    public string? AcceptanceKey { get; set; }

    /// <summary>
    /// How long Location vouches for a request that is not recorded. It is as long as a message may wait in the queue.
    /// </summary>
    [Range(typeof(TimeSpan), "00:01:00", "3650.00:00:00")]
    public TimeSpan AcceptanceLifetime { get; set; } = TimeSpan.FromDays(14);

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        if (!string.IsNullOrEmpty(AcceptanceKey) && !AcceptanceSecret.IsKey(AcceptanceKey))
        {
            yield return new(
                $"It is not base64 of at least 32 bytes. {AcceptanceSecret.HowToMake}",
                [nameof(AcceptanceKey)]
            );
        }
    }
}

internal static class IngestionOptionsSetup
{
    private const string NoKey =
        $"{IngestionOptions.Section}:{nameof(IngestionOptions.AcceptanceKey)}: Set it. It signs Locations, and "
        + $"without a key in {ServiceBusOptions.Section}:{nameof(ServiceBusOptions.ConnectionString)} it cannot be derived. "
        + AcceptanceSecret.HowToMake;

    public static void AddIngestionOptions(this IServiceCollection services) =>
        services
            .AddValidatedOptions<IngestionOptions>(IngestionOptions.Section)
            // From the configuration: a mistake in the options of the queue is told once, by them.
            .Validate<IConfiguration>(
                (options, settings) => HasKey(options, settings.GetSection(ServiceBusOptions.Section)),
                NoKey
            );

    private static bool HasKey(IngestionOptions options, IConfigurationSection queue) =>
        string.IsNullOrEmpty(queue[nameof(ServiceBusOptions.FullyQualifiedNamespace)])
            && string.IsNullOrEmpty(queue[nameof(ServiceBusOptions.ConnectionString)])
        || AcceptanceSecret.Exists(options, queue[nameof(ServiceBusOptions.ConnectionString)]);
}
