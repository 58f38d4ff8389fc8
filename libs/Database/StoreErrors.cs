using System.Globalization;
using System.Net.Sockets;
using Microsoft.Data.Sqlite;
using Npgsql;
using SQLitePCL;

namespace DroneDelivery.Database;

/// <summary>
/// Distinguishes errors in a statement's data from an unavailable store: down, busy, read-only, or without tables or permissions.
/// </summary>
internal static class StoreErrors
{
    /// <summary>
    /// SQLSTATE classes: cardinality violation, data exception, integrity constraint violation, check option violation, program limit
    /// exceeded, and trigger errors.
    /// </summary>
    private static readonly HashSet<string> DataClasses = ["21", "22", "23", "44", "54", "P0"];

    private static readonly HashSet<int> SqliteDataCodes =
    [
        raw.SQLITE_CONSTRAINT,
        raw.SQLITE_TOOBIG,
        raw.SQLITE_MISMATCH,
        raw.SQLITE_RANGE,
    ];

    public static bool IsUnavailable(Exception exception) =>
        exception switch
        {
            SqliteException sqlite => !SqliteDataCodes.Contains(sqlite.SqliteErrorCode),
            PostgresException postgres => !DataClasses.Contains(postgres.SqlState[..2]),
            NpgsqlException or SocketException or TimeoutException or OperationCanceledException => true,
            _ => false,
        };

    /// <summary>Determines whether a table is missing, for which SQLite has only its general error code.</summary>
    public static bool IsMissingTable(Exception exception) =>
        exception
            is PostgresException { SqlState: PostgresErrorCodes.UndefinedTable }
                or SqliteException { SqliteErrorCode: raw.SQLITE_ERROR };

    public static string CodeOf(Exception exception) =>
        exception switch
        {
            SqliteException sqlite => sqlite.SqliteErrorCode.ToString(CultureInfo.InvariantCulture),
            PostgresException postgres => postgres.SqlState,
            _ => exception.GetType().Name,
        };
}
