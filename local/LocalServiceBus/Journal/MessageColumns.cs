using System.Text;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>The columns of a message: first those that change, then the content, which only an insert writes.</summary>
internal static class MessageColumns
{
    public const string Declarations = """
        queue integer not null, is_dead integer not null, number integer not null, first_number integer not null,
        state integer not null, deliveries integer not null, enqueued_at integer not null, expires_at integer not null, properties blob,
        time_to_live integer, due_at integer, is_durable integer not null, priority integer, wire_size integer not null,
        annotation_values integer not null, annotations blob not null, body blob not null, hops integer not null, dead_letter_source text
        """;

    public const string Names =
        "id, queue, is_dead, number, first_number, state, deliveries, enqueued_at, expires_at, properties, "
        + "time_to_live, due_at, is_durable, priority, wire_size, annotation_values, annotations, body, hops, dead_letter_source";

    public const string Insert =
        $"insert into message ({Names}) "
        + "values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)";

    public const string Update =
        "update message set queue = ?2, is_dead = ?3, number = ?4, first_number = ?5, state = ?6, "
        + "deliveries = ?7, enqueued_at = ?8, expires_at = ?9, properties = ?10 where id = ?1";

    public static Statement Bind(Statement statement, MessageRow row, bool withContent)
    {
        var message = row.Message;
        statement
            .Bind(message.JournalId)
            .Bind(row.Queue)
            .Bind((long)row.Place)
            .Bind(message.SequenceNumber)
            .Bind(message.EnqueuedSequenceNumber)
            .Bind((long)row.State)
            .Bind(message.DeliveryCount)
            .Bind(message.EnqueuedAt)
            .Bind(message.ExpiresAt)
            .Bind(row.Properties);
        return withContent
            ? BindContent(statement, message.Content).Bind(message.Hops).Bind(message.DeadLetterSource)
            : statement;
    }

    public static MessageRow Read(SqliteDataReader row, HashSet<long> withSessions)
    {
        var content = new MessageContent(row.GetFieldValue<byte[]>(17))
        {
            TimeToLive = row.IsDBNull(10) ? null : TimeSpan.FromTicks(row.GetInt64(10)),
            ScheduledEnqueueTime = row.IsDBNull(11) ? null : Time(row.GetInt64(11)),
            Durable = row.GetBoolean(12),
            Priority = row.IsDBNull(13) ? null : row.GetByte(13),
            WireSize = row.GetInt32(14),
            AnnotationValues = row.GetInt32(15),
            Annotations = row.GetFieldValue<byte[]>(16),
        };
        if (withSessions.Contains(row.GetInt64(1)))
        {
            content = content with
            {
                SessionId = IncomingMessage.SessionIdOf(MessageSections.Split(content.Body).Properties),
            };
        }

        var message = new QueuedMessage(content, Time(row.GetInt64(7)))
        {
            JournalId = row.GetInt64(0),
            SequenceNumber = row.GetInt64(3),
            EnqueuedSequenceNumber = row.GetInt64(4),
            State = (MessageState)row.GetInt64(5),
            IsDeferred = row.GetInt64(5) == (long)MessageState.Deferred,
            DeliveryCount = row.GetInt32(6),
            ExpiresAt = Time(row.GetInt64(8)),
            Hops = row.GetInt32(18),
            DeadLetterSource = row.IsDBNull(19) ? null : row.GetString(19),
        };
        var properties = row.IsDBNull(9) ? null : row.GetFieldValue<byte[]>(9);
        message.ChangeProperties(ChangedProperties.Decode(properties));
        return new MessageRow(row.GetInt64(1), (Place)row.GetInt64(2), message, properties);
    }

    private static Statement BindContent(Statement statement, MessageContent content) =>
        statement
            .Bind(content.TimeToLive?.Ticks)
            .Bind(content.ScheduledEnqueueTime?.UtcTicks)
            .Bind(content.Durable ? 1L : 0L)
            .Bind(content.Priority)
            .Bind(content.WireSize)
            .Bind(content.AnnotationValues)
            .Bind(content.Annotations.Span)
            .Bind(content.Body.Span);

    private static DateTimeOffset Time(long ticks) => new(ticks, TimeSpan.Zero);
}

/// <summary>A prepared statement, several times as fast as a command of the provider.</summary>
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

    /// <summary>Binds the text with its length, because a C string would end at the first NUL.</summary>
    public Statement Bind(string? value) =>
        value is null
            ? Bind((long?)null)
            : Checked(raw.sqlite3_bind_text(_statement, ++_bound, Encoding.UTF8.GetBytes(value)));

    public Statement Bind(byte[]? value) => value is null ? Bind((long?)null) : Bind(value.AsSpan());

    public Statement Bind(ReadOnlySpan<byte> value) => Checked(raw.sqlite3_bind_blob(_statement, ++_bound, value));

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
