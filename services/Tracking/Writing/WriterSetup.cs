using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.Tracking.Tables;

namespace DroneDelivery.Tracking.Writing;

internal static class WriterSetup
{
    private const string Setting = $"{TrackingOptions.Section}:{nameof(TrackingOptions.Writer)}";

    /// <summary>The writer that <c>Tracking:Writer</c> names, and what it needs.</summary>
    public static void AddHitWriter(this IServiceCollection services, IConfiguration configuration)
    {
        services.AddSingleton<HitCounters>();
        // A name that is none is the options' to report, when the service starts.
        var writer = Enum.TryParse<WriterKind>(configuration[Setting], ignoreCase: true, out var set) ? set : WriterKind.Insert;
        if (writer != WriterKind.None)
            services.AddStore();
        switch (writer)
        {
            case WriterKind.None:
                services.AddSingleton<IHitWriter, DropHits>();
                break;
            case WriterKind.Batch:
                services.AddBatch();
                break;
            case WriterKind.Queue:
                services.AddQueue();
                break;
            default:
                services.AddSingleton<IHitWriter, InsertHits>();
                break;
        }
    }

    private static void AddStore(this IServiceCollection services)
    {
        services.AddSingleton<TableOutage>();
        services.AddSingleton<StoreBatch>();
        services.AddDependency(
            "table",
            TableOutage.DoesNotAnswer,
            (provider, cancellationToken) => provider.GetRequiredService<ITableServer>().AskAsync(cancellationToken));
    }

    private static void AddBatch(this IServiceCollection services)
    {
        services.AddSingleton<BatchHits>();
        services.AddSingleton<IHitWriter>(provider => provider.GetRequiredService<BatchHits>());
        services.AddHostedService(provider => provider.GetRequiredService<BatchHits>());
    }

    private static void AddQueue(this IServiceCollection services)
    {
        services.AddServiceBus(QueueHits.Configure);
        services.AddSingleton<QueueHits>();
        services.AddSingleton<IHitWriter>(provider => provider.GetRequiredService<QueueHits>());
        services.AddHostedService<StoreFromQueue>();
        services.AddDependency(
            "queue",
            "The queue cannot be opened.",
            (provider, cancellationToken) => provider.GetRequiredService<QueueHits>().OpenAsync(cancellationToken));
    }
}
