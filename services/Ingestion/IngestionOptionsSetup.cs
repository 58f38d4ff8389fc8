using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Configuration;

namespace DroneDelivery.Ingestion;

internal static class IngestionOptionsSetup
{
    private const string NoKey =
        $"{IngestionOptions.Section}:{nameof(IngestionOptions.AcceptanceKey)}: Required, because it signs status URLs, and "
        + $"without a key in {ServiceBusOptions.Section}:{nameof(ServiceBusOptions.ConnectionString)} it can't be derived. "
        + AcceptanceSecret.HowToGenerate;

    public static void AddIngestionOptions(this IServiceCollection services) =>
        services
            .AddValidatedOptions<IngestionOptions>(IngestionOptions.Section)
            // Reads the configuration, because the queue's options report their errors themselves.
            .Validate<IConfiguration>(
                (options, settings) => HasKey(options, settings.GetSection(ServiceBusOptions.Section)),
                NoKey
            );

    private static bool HasKey(IngestionOptions options, IConfigurationSection queue) =>
        string.IsNullOrEmpty(queue[nameof(ServiceBusOptions.FullyQualifiedNamespace)])
            && string.IsNullOrEmpty(queue[nameof(ServiceBusOptions.ConnectionString)])
        || AcceptanceSecret.Exists(options, queue[nameof(ServiceBusOptions.ConnectionString)]);
}
