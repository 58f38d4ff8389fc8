using DroneDelivery.ServiceDefaults.Configuration;

namespace DroneDelivery.Database.Retention;

public static class RetentionSetup
{
    public static void AddRetention(this IServiceCollection services, params OldRows[] rows)
    {
        services.AddValidatedOptions<RetentionOptions>(RetentionOptions.Section);
        services.AddHostedService(provider => ActivatorUtilities.CreateInstance<PurgeOldRows>(provider, [rows]));
    }
}
