using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.Tracking.Tables;

namespace DroneDelivery.Tracking.Writing;

internal static class WriterSetup
{
    /// <summary>Registers the writer in <c>Tracking:Writer</c> and its dependencies.</summary>
    public static void AddHitWriter(this WebApplicationBuilder builder)
    {
        var services = builder.Services;
        services.AddValidatedOptions<TrackingOptions>(TrackingOptions.Section);
        services.AddSingleton<HitCounters>();
        // The validation of the options reports an invalid name at startup.
        var setting = builder.Configuration[$"{TrackingOptions.Section}:{nameof(TrackingOptions.Writer)}"];
        var writer = Enum.TryParse<WriterKind>(setting, ignoreCase: true, out var kind) ? kind : WriterKind.Insert;
        if (writer != WriterKind.None)
            services.AddTables();
        switch (writer)
        {
            case WriterKind.None:
                services.AddSingleton<IHitWriter, DropHits>();
                break;
            case WriterKind.Batch:
                services.AddSingleton<BatchHits>();
                services.AddSingleton<IHitWriter>(provider => provider.GetRequiredService<BatchHits>());
                services.AddHostedService(provider => provider.GetRequiredService<BatchHits>());
                break;
            default:
                services.AddSingleton<IHitWriter, InsertHits>();
                break;
        }
    }

    private static void AddTables(this IServiceCollection services)
    {
        services.AddSingleton<HitTables>();
        services.AddSingleton<StoreBatch>();
        services.AddDependency("table", "The table server is unavailable.", (provider, token) =>
            provider.GetRequiredService<HitTables>().AskAsync(token)
        );
    }
}
