using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Database.Retention;

/// <summary>Section <c>Retention</c>: deletion of old rows.</summary>
public sealed class RetentionOptions
{
    public const string Section = "Retention";

    /// <summary>
    /// Age at which assignments (since landing) and tombstones (since the failure) are deleted. It must exceed the age of any request that
    /// can still arrive, which would be assigned a second drone: messages expire after 14 days (infra/modules/serviceBus.bicep), and
    /// outages and resends add to that.
    /// </summary>
    [Range(typeof(TimeSpan), "15.00:00:00", "3650.00:00:00")]
    public TimeSpan Period { get; set; } = TimeSpan.FromDays(90);

    /// <summary>Interval between purges by a replica.</summary>
    [Range(typeof(TimeSpan), "00:01:00", "1.00:00:00")]
    public TimeSpan Interval { get; set; } = TimeSpan.FromHours(1);

    /// <summary>Rows per statement, for which other writers wait.</summary>
    [Range(1, 10_000)]
    public int BatchSize { get; set; } = 500;
}
