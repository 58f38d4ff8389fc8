using System.Data.Common;
using System.Globalization;
using DroneDelivery.ServiceDefaults.Metrics;
using Microsoft.Data.Sqlite;

namespace DroneDelivery.Database;

/// <summary>Measures statements from outside: with the wait for a connection, and for other writers.</summary>
internal sealed class StatementMetrics(StoreMetrics metrics, string system)
{
    /// <param name="sql">Its first word is the operation.</param>
    public Task<T> MeasureAsync<T>(string sql, Func<Task<T>> run) =>
        metrics.IsOn
            ? metrics.MeasureAsync(system, sql.Split([' ', '\n'], 2)[0].ToUpperInvariant(), run, ErrorOf)
            : run();

    private static string ErrorOf(Exception failure) =>
        failure switch
        {
            SqliteException sqlite => sqlite.SqliteErrorCode.ToString(CultureInfo.InvariantCulture),
            DbException { SqlState: { } state } => state,
            _ => failure.GetType().Name,
        };
}
