using System.Text;
using System.Text.Json;
using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>The SQLite file, with one row per queue and per message. A commit is on disk when it returns (WAL,
/// synchronous=FULL). Only one process can open the file.</summary>
internal sealed class JournalFile : IDisposable
{
    public const string Name = "broker.db";

    private const int Version = 4;

    // In pages of 4 KB. Free pages are reused; larger amounts are returned to the file system step by step.
    private const long MaxFreePages = 1024,
        MaxReleasedPages = 16 * 1024;

    private const int CommitsBetweenChecks = 256;

    private readonly SqliteConnection _connection;
    private readonly Dictionary<string, Statement> _statements = [];
    private int _commits;

    private JournalFile(SqliteConnection connection) => _connection = connection;

    public static JournalFile Open(string folder)
    {
        Batteries_V2.Init();
        var path = Path.Combine(folder, Name);
        var connection = new SqliteConnection(
            new SqliteConnectionStringBuilder { DataSource = path, Pooling = false }.ToString()
        );
        try
        {
            Directory.CreateDirectory(folder);
            connection.Open();
            var file = new JournalFile(connection);
            file.Prepare(path);
            return file;
        }
        catch (Exception error)
            when (error is IOException or UnauthorizedAccessException or SqliteException or BrokerStartException)
        {
            connection.Dispose();
            throw error as BrokerStartException ?? Unusable(path, error);
        }
    }

    public void Commit(ChangeGroup group)
    {
        if (++_commits % CommitsBetweenChecks == 0)
            ReleaseFreePages();
        Run("begin immediate");
        try
        {
            WriteQueues(group);
            WriteMessages(group);
            WriteSeen(group);
            WriteStates(group);
            Run("commit");
        }
        catch
        {
            // Fails if SQLite has already rolled back.
            raw.sqlite3_exec(_connection.Handle, "rollback");
            throw;
        }
    }

    public IReadOnlyList<(long Id, QueueOptions Options)> Queues() =>
        Read("select id, options from queue order by id", row =>
            (row.GetInt64(0), JsonSerializer.Deserialize<QueueOptions>(row.GetString(1))!)
        );

    /// <summary>The highest sequence number that each place of a queue has assigned.</summary>
    public Dictionary<(long Queue, Place Place), long> Numbers() =>
        Read("select queue, place, last from number", row =>
                KeyValuePair.Create((row.GetInt64(0), (Place)row.GetInt64(1)), row.GetInt64(2))
            )
            .ToDictionary();

    /// <summary>Reads the messages by queue, ordered by sequence number. Sorts in memory, because SQLite would sort the
    /// bodies too.</summary>
    public ILookup<long, MessageRow> Messages(params HashSet<long> withSessions)
    {
        var rows = Read($"select {MessageColumns.Names} from message", row => MessageColumns.Read(row, withSessions));
        rows.Sort(
            (a, b) =>
                (a.Queue, a.Place, a.Message.SequenceNumber).CompareTo((b.Queue, b.Place, b.Message.SequenceNumber))
        );
        return rows.ToLookup(row => row.Queue);
    }

    /// <summary>Reads the IDs for duplicate detection in the order of arrival. Reads them as bytes, because the
    /// provider truncates text at NUL.</summary>
    public IReadOnlyList<(string MessageId, DateTimeOffset SeenAt)> Seen(long queue) =>
        Read($"select cast(id as blob), seen_at from seen where queue = {queue} order by seen_at", row =>
            (Encoding.UTF8.GetString(row.GetFieldValue<byte[]>(0)), new DateTimeOffset(row.GetInt64(1), TimeSpan.Zero))
        );

    public IReadOnlyList<(string SessionId, byte[] State)> States(long queue) =>
        Read($"select id, state from session where queue = {queue}", row =>
            (row.GetString(0), row.GetFieldValue<byte[]>(1))
        );

    public long LastId() =>
        Read("select max((select ifnull(max(id), 0) from message), (select ifnull(max(id), 0) from queue))", row =>
            row.GetInt64(0)
        )[0];

    /// <summary>Makes the disk appear full, for tests.</summary>
    internal void LimitPages(long max) => Run($"pragma max_page_count = {max}");

    internal (long Used, long Free) Pages()
    {
        var free = Number("pragma freelist_count");
        return (Number("pragma page_count") - free, free);
    }

    public void Dispose()
    {
        foreach (var statement in _statements.Values)
            statement.Dispose();
        _connection.Dispose();
    }

    private void Prepare(string path)
    {
        // In exclusive mode, two brokers can't open the file, and WAL needs no shared memory.
        Run("pragma locking_mode = exclusive");
        Run("pragma auto_vacuum = incremental");
        Run("pragma journal_mode = wal");
        Run("pragma synchronous = full");
        Run("pragma wal_autocheckpoint = 4000");
        Run("begin immediate");
        var version = Number("pragma user_version");
        if (version is not (0 or Version))
        {
            throw new BrokerStartException(
                $"{path} has version {version}, but this broker requires version {Version}. Choose another folder."
            );
        }

        if (version == 0)
            Run(Tables);
        Run("commit");
    }

    private static BrokerStartException Unusable(string path, Exception error) =>
        new(
            error is SqliteException { SqliteErrorCode: raw.SQLITE_BUSY }
                ? $"{path} is in use by another broker. Stop it, or choose another folder with --data or ServiceBus:DataFolder."
                : $"{path} cannot be used (--data, ServiceBus:DataFolder): {error.Message}",
            error
        );

    private void WriteQueues(ChangeGroup group)
    {
        foreach (var (queue, options) in group.Queues)
        {
            if (options is null)
            {
                foreach (var table in TablesOfQueues)
                    On($"delete from {table} = ?1").Bind(queue).Run();
                continue;
            }
            On(
                    "insert into queue (id, options) values (?1, ?2) on conflict (id) do update set options = excluded.options"
                )
                .Bind(queue)
                .Bind(JsonSerializer.Serialize(options))
                .Run();
        }
        foreach (var ((queue, place), last) in group.Numbers.Where(number => !group.IsGone(number.Key.Queue)))
        {
            On(
                    "insert into number (queue, place, last) values (?1, ?2, ?3) "
                        + "on conflict (queue, place) do update set last = max(last, excluded.last)"
                )
                .Bind(queue)
                .Bind((long)place)
                .Bind(last)
                .Run();
        }
    }

    private void WriteMessages(ChangeGroup group)
    {
        foreach (var (id, change) in group.Messages)
        {
            if (change.Row is not { } row)
            {
                On("delete from message where id = ?1").Bind(id).Run();
            }
            else if (!group.IsGone(row.Queue))
            {
                MessageColumns
                    .Bind(On(change.IsNew ? MessageColumns.Insert : MessageColumns.Update), row, change.IsNew)
                    .Run();
            }
        }
    }

    private void WriteSeen(ChangeGroup group)
    {
        foreach (var (queue, messageId, seenAt) in group.Seen)
        {
            if (!group.IsGone(queue))
            {
                On("insert or ignore into seen (queue, seen_at, id) values (?1, ?2, ?3)")
                    .Bind(queue)
                    .Bind(seenAt)
                    .Bind(messageId)
                    .Run();
            }
        }
        foreach (var (queue, seenUpTo) in group.Forgotten)
            On("delete from seen where queue = ?1 and seen_at <= ?2").Bind(queue).Bind(seenUpTo).Run();
    }

    private void WriteStates(ChangeGroup group)
    {
        foreach (var ((queue, sessionId), state) in group.States)
        {
            if (group.IsGone(queue))
                continue;
            On("delete from session where queue = ?1 and id = ?2").Bind(queue).Bind(sessionId).Run();
            if (state is not null)
            {
                On("insert into session (queue, id, state, set_at) values (?1, ?2, ?3, 0)")
                    .Bind(queue)
                    .Bind(sessionId)
                    .Bind(state)
                    .Run();
            }
        }
    }

    private void ReleaseFreePages()
    {
        var (used, free) = Pages();
        if (free > Math.Max(MaxFreePages, used))
            Run($"pragma incremental_vacuum({Math.Min(free - MaxFreePages, MaxReleasedPages)})");
    }

    private Statement On(string sql) =>
        _statements.TryGetValue(sql, out var statement)
            ? statement
            : _statements[sql] = new Statement(_connection, sql);

    private void Run(string sql) =>
        SqliteException.ThrowExceptionForRC(raw.sqlite3_exec(_connection.Handle, sql), _connection.Handle);

    private long Number(string sql) => Read(sql, row => row.GetInt64(0))[0];

    private List<T> Read<T>(string sql, Func<SqliteDataReader, T> read)
    {
        using var command = _connection.CreateCommand();
        command.CommandText = sql;
        using var reader = command.ExecuteReader();
        var rows = new List<T>();
        while (reader.Read())
            rows.Add(read(reader));
        return rows;
    }

    private static readonly string[] TablesOfQueues =
    [
        "message where queue",
        "number where queue",
        "seen where queue",
        "session where queue",
        "queue where id",
    ];

    // No secondary indexes: the broker looks up rows by key only.
    private static readonly string Tables = $"""
        create table queue (id integer primary key, options text not null);
        create table number (queue integer not null, place integer not null, last integer not null, primary key (queue, place))
            without rowid;
        create table message (id integer primary key, {MessageColumns.Declarations});
        create table seen (queue integer not null, seen_at integer not null, id text not null, primary key (queue, seen_at, id))
            without rowid;
        create table session (queue integer not null, id text not null, state blob not null, set_at integer not null,
            primary key (queue, id)) without rowid;
        pragma user_version = {Version};
        """;
}
