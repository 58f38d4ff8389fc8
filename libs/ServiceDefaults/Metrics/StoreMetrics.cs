using System.Diagnostics;
using System.Diagnostics.Metrics;
using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.ServiceDefaults.Metrics;

/// <summary>Meter <c>DroneDelivery.Stores</c>: commands to Redis and SQL statements. The names are those of OpenTelemetry.</summary>
public sealed class StoreMetrics(IMeterFactory meters)
{
    public const string MeterName = "DroneDelivery.Stores";

    /// <summary>Tags <c>db.system.name</c>, <c>db.operation.name</c> and, of one that failed, <c>error.type</c>.</summary>
    public const string DurationName = "db.client.operation.duration";

    private readonly Histogram<double> _duration = meters
        .Create(MeterName)
        .CreateDuration(
            DurationName,
            "How long a command to the store took.",
            0.001,
            0.005,
            0.01,
            0.05,
            0.1,
            0.5,
            1,
            5,
            10
        );

    /// <param name="system"><c>redis</c>, <c>sqlite</c> or <c>postgresql</c>.</param>
    /// <param name="operation">One of few: <c>GET</c>, <c>SELECT</c>.</param>
    /// <param name="errorOf">One of few words for the driver's failure.</param>
    public async Task<T> MeasureAsync<T>(
        string system,
        string operation,
        Func<Task<T>> run,
        Func<Exception, string> errorOf
    )
    {
        var began = Stopwatch.GetTimestamp();
        try
        {
            var result = await run();
            Ended(began, system, operation);
            return result;
        }
        catch (Exception exception)
        {
            var failure = exception is DependencyUnavailableException { InnerException: { } cause } ? cause : exception;
            Ended(began, system, operation, errorOf(failure));
            throw;
        }
    }

    private void Ended(long began, string system, string operation, string? error = null)
    {
        var tags = new TagList { { "db.system.name", system }, { "db.operation.name", operation } };
        if (error is not null)
            tags.Add("error.type", error);
        _duration.Record(Stopwatch.GetElapsedTime(began).TotalSeconds, tags);
    }
}
