using System.Globalization;
using System.Net.Sockets;
using Microsoft.Data.Sqlite;
using Npgsql;
using SQLitePCL;

namespace DroneDelivery.Database;

/// <summary>
/// Tells errors about a statement's data from all others. With any other error the store is unavailable for now: it is down, busy,
/// read-only, lacks tables or permissions, or rejects the service's credentials, and a request with other data would fail too.
/// </summary>
internal static class StoreErrors
{
    /// <summary>
    /// Classes of SQLSTATE: cardinality violation, data exception, integrity constraint violation, check option violation, program limit
    /// exceeded, and errors that a trigger raises.
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
            // The connection, the pool, the password provider, or a wait for other writers that ended.
            NpgsqlException or SocketException or TimeoutException or OperationCanceledException => true,
            _ => false,
        };

    /// <summary>Whether a table does not exist. SQLite has no code of its own for it.</summary>
    public static bool IsMissingTable(Exception exception) =>
        exception
            is PostgresException { SqlState: PostgresErrorCodes.UndefinedTable }
                or SqliteException { SqliteErrorCode: raw.SQLITE_ERROR };

    /// <summary>A short code for metrics.</summary>
    public static string CodeOf(Exception exception) =>
        exception switch
        {
            SqliteException sqlite => sqlite.SqliteErrorCode.ToString(CultureInfo.InvariantCulture),
            PostgresException postgres => postgres.SqlState,
            _ => exception.GetType().Name,
        };
}
