using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Configuration;

namespace DroneDelivery.Ingestion;

internal static class IngestionOptionsSetup
{
    private const string NoKey =
        $"{IngestionOptions.Section}:{nameof(IngestionOptions.AcceptanceKey)}: Set it. It signs Locations, and "
        + $"without a key in {ServiceBusOptions.Section}:{nameof(ServiceBusOptions.ConnectionString)} it cannot be derived. "
        + AcceptanceSecret.HowToMake;

    public static void AddIngestionOptions(this IServiceCollection services) =>
        services
            .AddValidatedOptions<IngestionOptions>(IngestionOptions.Section)
            // From the configuration: an error in the options of the queue is reported once, by them.
            .Validate<IConfiguration>(
                (options, settings) => HasKey(options, settings.GetSection(ServiceBusOptions.Section)),
                NoKey
            );

    private static bool HasKey(IngestionOptions options, IConfigurationSection queue) =>
        string.IsNullOrEmpty(queue[nameof(ServiceBusOptions.FullyQualifiedNamespace)])
            && string.IsNullOrEmpty(queue[nameof(ServiceBusOptions.ConnectionString)])
        || AcceptanceSecret.Exists(options, queue[nameof(ServiceBusOptions.ConnectionString)]);
}
