using System.Diagnostics;
using System.Diagnostics.Metrics;
using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.ServiceDefaults.Metrics;

/// <summary>Meter <c>DroneDelivery.Stores</c>: Redis commands and SQL statements, with OpenTelemetry's names.</summary>
public sealed class StoreMetrics(IMeterFactory meters)
{
    public const string MeterName = "DroneDelivery.Stores";

    /// <summary>Histogram with the tags <c>db.system.name</c>, <c>db.operation.name</c>, and, on failure, <c>error.type</c>.</summary>
    public const string DurationName = "db.client.operation.duration";

    private readonly Histogram<double> _duration = meters
        .Create(MeterName)
        .CreateDuration(
            DurationName,
            "Duration of a command to the store.",
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

    /// <param name="operation">A name of low cardinality, for example <c>GET</c>.</param>
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
