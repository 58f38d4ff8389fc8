using DroneDelivery.LocalServiceBus.Entities;
using Microsoft.Data.Sqlite;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>The columns of a message: first those that change, then its content, which only an insert writes.</summary>
internal static class MessageColumns
{
    public const string Declarations = """
        queue integer not null, is_dead integer not null, number integer not null, first_number integer not null,
        state integer not null, deliveries integer not null, enqueued_at integer not null, expires_at integer not null, properties blob,
        time_to_live integer, due_at integer, is_durable integer not null, priority integer, wire_size integer not null,
        annotation_values integer not null, annotations blob not null, body blob not null
        """;

    /// <summary>Of a message that was forwarded; files before version 3 have none.</summary>
    public static readonly string[] LaterDeclarations = ["hops integer not null default 0", "dead_letter_source text"];

    public const string Names = "id, queue, is_dead, number, first_number, state, deliveries, enqueued_at, expires_at, properties, "
        + "time_to_live, due_at, is_durable, priority, wire_size, annotation_values, annotations, body, hops, dead_letter_source";

    public const string Insert = $"insert into message ({Names}) "
        + "values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)";

    public const string Update = "update message set queue = ?2, is_dead = ?3, number = ?4, first_number = ?5, state = ?6, "
        + "deliveries = ?7, enqueued_at = ?8, expires_at = ?9, properties = ?10 where id = ?1";

    public static Statement Bind(Statement statement, MessageRow row, bool withContent)
    {
        statement.Bind(row.Id).Bind(row.Queue).Bind((long)row.Place).Bind(row.Number).Bind(row.FirstNumber).Bind((long)row.State)
            .Bind(row.Deliveries).Bind(row.EnqueuedAt).Bind(row.ExpiresAt);
        if (row.Properties is { } properties)
            statement.Bind(properties);
        else
            statement.Bind((long?)null);
        return withContent ? BindWay(BindContent(statement, row.Content), row) : statement;
    }

    public static MessageRow Read(SqliteDataReader row) => new(row.GetInt64(0), row.GetInt64(1), (Place)row.GetInt64(2))
    {
        Number = row.GetInt64(3),
        FirstNumber = row.GetInt64(4),
        State = (MessageState)row.GetInt64(5),
        Deliveries = row.GetInt32(6),
        EnqueuedAt = Time(row.GetInt64(7)),
        ExpiresAt = Time(row.GetInt64(8)),
        Properties = row.IsDBNull(9) ? null : row.GetFieldValue<byte[]>(9),
        Content = new MessageContent(row.GetFieldValue<byte[]>(17))
        {
            TimeToLive = row.IsDBNull(10) ? null : TimeSpan.FromTicks(row.GetInt64(10)),
            ScheduledEnqueueTime = row.IsDBNull(11) ? null : Time(row.GetInt64(11)),
            Durable = row.GetBoolean(12),
            Priority = row.IsDBNull(13) ? null : row.GetByte(13),
            WireSize = row.GetInt32(14),
            AnnotationValues = row.GetInt32(15),
            Annotations = row.GetFieldValue<byte[]>(16),
        },
        Hops = row.GetInt32(18),
        DeadLetterSource = row.IsDBNull(19) ? null : row.GetString(19),
    };

    private static Statement BindContent(Statement statement, MessageContent content) => statement
        .Bind(content.TimeToLive?.Ticks).Bind(content.ScheduledEnqueueTime?.UtcTicks).Bind(content.Durable).Bind(content.Priority)
        .Bind(content.WireSize).Bind(content.AnnotationValues).Bind(content.Annotations.Span).Bind(content.Body.Span);

    private static Statement BindWay(Statement statement, MessageRow row)
    {
        statement.Bind(row.Hops);
        return row.DeadLetterSource is { } source ? statement.Bind(source) : statement.Bind((long?)null);
    }

    private static DateTimeOffset Time(long ticks) => new(ticks, TimeSpan.Zero);
}
