using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.Tracking.Tables;

namespace DroneDelivery.Tracking.Writing;

internal static class WriterSetup
{
    /// <summary>The writer that <c>Tracking:Writer</c> names, and what it needs.</summary>
    public static void AddHitWriter(this IServiceCollection services, IConfiguration configuration)
    {
        services.AddSingleton<HitCounters>();
        services.AddSingleton<TableOutage>();
        if (IsSet(configuration, WriterKind.None))
        {
            services.AddSingleton<IHitWriter, DropHits>();
            return;
        }
        services.AddDependency(
            "table",
            TableOutage.DoesNotAnswer,
            (provider, cancellationToken) => provider.GetRequiredService<ITableServer>().AskAsync(cancellationToken));
        services.AddSingleton<IHitWriter, InsertHits>();
    }

    // Read as text: a name that is none is the options' to report.
    private static bool IsSet(IConfiguration configuration, WriterKind writer) =>
        $"{writer}".Equals(configuration[$"{TrackingOptions.Section}:{nameof(TrackingOptions.Writer)}"], StringComparison.OrdinalIgnoreCase);
}
