using System.Data.Common;
using System.Diagnostics;
using System.Globalization;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Metrics;
using Microsoft.Data.Sqlite;

namespace DroneDelivery.Database;

/// <summary>Measures statements from outside: with the wait for a connection, and for other writers.</summary>
internal sealed class StatementMetrics(StoreMetrics metrics, string system)
{
    /// <param name="sql">Its first word is the operation.</param>
    /// <param name="run">Runs the statement.</param>
    public Task<T> MeasureAsync<T>(string sql, Func<Task<T>> run) => metrics.IsOn ? MeasuredAsync(OperationOf(sql), run) : run();

    private async Task<T> MeasuredAsync<T>(string operation, Func<Task<T>> run)
    {
        var began = Stopwatch.GetTimestamp();
        try
        {
            var result = await run();
            metrics.Ended(began, system, operation);
            return result;
        }
        catch (Exception exception)
        {
            metrics.Ended(began, system, operation, ErrorOf(exception));
            throw;
        }
    }

    private static string OperationOf(string sql)
    {
        var text = sql.AsSpan().TrimStart();
        var end = text.IndexOfAnyExceptInRange('A', 'z');
        return (end < 0 ? text : text[..end]).ToString().ToUpperInvariant();
    }

    private static string ErrorOf(Exception failure) =>
        (failure is DependencyUnavailableException { InnerException: { } cause } ? cause : failure) switch
        {
            SqliteException sqlite => sqlite.SqliteErrorCode.ToString(CultureInfo.InvariantCulture),
            DbException { SqlState: { } state } => state,
            var other => other.GetType().Name,
        };
}
