using DroneDelivery.ServiceDefaults.Configuration;

namespace DroneDelivery.Tracking.Tables;

internal static class TablesSetup
{
    public static void AddTables(this IServiceCollection services)
    {
        services.AddValidatedOptions<TrackingOptions>(TrackingOptions.Section).Validate(
            options => options.ConnectionString.Length == 0 || StorageTables.CanParse(options.ConnectionString),
            "Tracking:ConnectionString: must look like UseDevelopmentStorage=true "
                + "or AccountName=…;AccountKey=…;TableEndpoint=http://localhost:10002/….");
        services.AddSingleton<TrackedTables>();
        services.AddSingleton<ITableServer, StorageTables>();
        services.AddSingleton<CreatedTables>();
    }
}
