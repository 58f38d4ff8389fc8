using System.Text;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>A prepared statement. The journal writes rows by the hundred thousand, and commands of the provider cost several times as
/// much.</summary>
internal sealed class Statement : IDisposable
{
    private readonly sqlite3 _database;
    private readonly sqlite3_stmt _statement;
    private int _bound;

    public Statement(SqliteConnection connection, string sql)
    {
        _database = connection.Handle!;
        SqliteException.ThrowExceptionForRC(raw.sqlite3_prepare_v2(_database, sql, out _statement), _database);
    }

    public Statement Bind(long value) => Checked(raw.sqlite3_bind_int64(_statement, ++_bound, value));

    public Statement Bind(long? value) =>
        value is { } given ? Bind(given) : Checked(raw.sqlite3_bind_null(_statement, ++_bound));

    public Statement Bind(DateTimeOffset value) => Bind(value.UtcTicks);

    /// <summary>With its length: as a string of C it would end at the first NUL.</summary>
    public Statement Bind(string? value) =>
        value is null
            ? Bind((long?)null)
            : Checked(raw.sqlite3_bind_text(_statement, ++_bound, Encoding.UTF8.GetBytes(value)));

    public Statement Bind(byte[]? value) => value is null ? Bind((long?)null) : Bind(value.AsSpan());

    public Statement Bind(ReadOnlySpan<byte> value) => Checked(raw.sqlite3_bind_blob(_statement, ++_bound, value));

    /// <summary>Forgets what was bound.</summary>
    public void Run()
    {
        _bound = 0;
        var result = raw.sqlite3_step(_statement);
        raw.sqlite3_reset(_statement);
        if (result is not (raw.SQLITE_DONE or raw.SQLITE_ROW))
            SqliteException.ThrowExceptionForRC(result, _database);
    }

    public void Dispose() => _statement.Dispose();

    private Statement Checked(int result)
    {
        if (result != raw.SQLITE_OK)
            _bound = 0;
        SqliteException.ThrowExceptionForRC(result, _database);
        return this;
    }
}
