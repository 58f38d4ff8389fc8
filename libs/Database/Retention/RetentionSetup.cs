using DroneDelivery.ServiceDefaults.Configuration;

namespace DroneDelivery.Database.Retention;

public static class RetentionSetup
{
    /// <summary>Deletes old rows while the service runs, as section <c>Retention</c> says.</summary>
    public static void AddRetention(this IServiceCollection services, params OldRows[] rows)
    {
        services.AddValidatedOptions<RetentionOptions>(RetentionOptions.Section);
        services.AddHostedService(provider => ActivatorUtilities.CreateInstance<PurgeOldRows>(provider, [rows]));
    }
}
