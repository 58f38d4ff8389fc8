using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Database.Retention;

/// <summary>Section <c>Retention</c>: how long rows of the past are kept.</summary>
public sealed class RetentionOptions
{
    public const string Section = "Retention";

    /// <summary>
    /// A row goes so long after it was of use: an assignment after its landing, cancelled or not, and the mark of a failed request after
    /// its failure. No delivery request may come again after it: it would be given a second drone, or make again what was undone. A
    /// request is older than its landing, and the queue gives up a message after 14 days (infra/modules/serviceBus.bicep). What an outage
    /// or an operator adds to that is far below the rest of the default.
    /// </summary>
    [Range(typeof(TimeSpan), "15.00:00:00", "3650.00:00:00")]
    public TimeSpan Period { get; set; } = TimeSpan.FromDays(90);

    /// <summary>How often each replica looks for old ones.</summary>
    [Range(typeof(TimeSpan), "00:01:00", "1.00:00:00")]
    public TimeSpan Interval { get; set; } = TimeSpan.FromHours(1);

    /// <summary>Rows in one statement, and so how long others wait for it.</summary>
    [Range(1, 10_000)]
    public int BatchSize { get; set; } = 500;
}
