using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace DroneDelivery.ServiceDefaults.Metrics;

/// <summary>Meter <c>DroneDelivery.Stores</c>: commands to Redis and SQL statements. The names are those of OpenTelemetry.</summary>
public sealed class StoreMetrics(IMeterFactory meters)
{
    public const string MeterName = "DroneDelivery.Stores";

    /// <summary>Tags <c>db.system.name</c>, <c>db.operation.name</c> and, of one that failed, <c>error.type</c>.</summary>
    public const string DurationName = "db.client.operation.duration";

    private readonly Histogram<double> _duration = meters.Create(MeterName).CreateDuration(
        DurationName, "How long a command to the store took.", 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10);

    /// <summary>Whether anybody listens.</summary>
    public bool IsOn => _duration.Enabled;

    /// <param name="began">The timestamp of <see cref="Stopwatch"/> at the beginning.</param>
    /// <param name="system"><c>redis</c>, <c>sqlite</c> or <c>postgresql</c>.</param>
    /// <param name="operation">One of few: <c>GET</c>, <c>SELECT</c>.</param>
    /// <param name="error">One of few; null: it succeeded.</param>
    public void Ended(long began, string system, string operation, string? error = null)
    {
        if (!IsOn)
            return;
        var tags = new TagList { { "db.system.name", system }, { "db.operation.name", operation } };
        if (error is not null)
            tags.Add("error.type", error);
        _duration.Record(Stopwatch.GetElapsedTime(began).TotalSeconds, tags);
    }
}
