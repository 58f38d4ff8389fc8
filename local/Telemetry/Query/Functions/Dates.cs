using System.Buffers;
using System.Globalization;
using DroneDelivery.Telemetry.Tables;
using Kql = DroneDelivery.Telemetry.Tables.ColumnType;

namespace DroneDelivery.Telemetry.Query;

internal static class Dates
{
    private static readonly SearchValues<char> FormatCharacters = SearchValues.Create("dfFhHmMstyY /-:,._[]");

    public static readonly Function[] Functions =
    [
        new(
            "now",
            ResultName.None,
            [
                new(Kql.DateTime, [], (_, length, context) =>
                    Columns.Constant(Kql.DateTime, context.Now.UtcTicks, length)
                ),
                new(Kql.DateTime, [Kql.TimeSpan], (arguments, length, context) =>
                    FromNow(arguments, length, context, 1)
                ),
            ]
        ),
        new(
            "ago",
            ResultName.None,
            [new(Kql.DateTime, [Kql.TimeSpan], (arguments, length, context) => FromNow(arguments, length, context, -1))]
        ),
        new(
            "format_datetime",
            ResultName.FirstArgument,
            [new(Kql.String, [Kql.DateTime, Kql.String], Kernels.Of<long, string, string>(Kql.String, Format))]
        ),
        new("datetime_diff", ResultName.None, [new(Kql.Long, [Kql.String, Kql.DateTime, Kql.DateTime], Difference)]),
        new(
            "startofday",
            ResultName.FirstArgument,
            [
                new(
                    Kql.DateTime,
                    [Kql.DateTime],
                    Kernels.Of<long, long>(Kql.DateTime, ticks => ticks - (ticks % TimeSpan.TicksPerDay))
                ),
            ]
        ),
    ];

    private static Column FromNow(Column[] arguments, int length, QueryContext context, int direction)
    {
        var moment = Kernels.Maybe<long, long>(Kql.DateTime, span =>
            Arithmetic.InCalendar(context.Now.UtcTicks + ((Int128)span * direction))
        );
        return moment(arguments, length, context);
    }

    // The letters mean the same in .NET; one letter alone would mean a whole format there.
    private static string Format(long ticks, string format) =>
        format.Length is 0 or > 100 || format.AsSpan().ContainsAnyExcept(FormatCharacters)
            ? ""
            : new DateTime(ticks, DateTimeKind.Utc).ToString(
                format.Length == 1 ? "%" + format : format,
                CultureInfo.InvariantCulture
            );

    private static Column Difference(Column[] arguments, int length, QueryContext context)
    {
        var difference = Kernels.Of<string, long, long, long>(Kql.Long, (part, later, earlier) =>
            Boundary(part, later, context) - Boundary(part, earlier, context)
        );
        return difference(arguments, length, context);
    }

    /// <summary>How many beginnings of the period lie before a moment: the difference counts those between two moments.</summary>
    private static long Boundary(string part, long ticks, QueryContext context)
    {
        var date = new DateTime(ticks, DateTimeKind.Utc);
        return part.ToLowerInvariant() switch
        {
            "year" => date.Year,
            "quarter" => (date.Year * 4) + ((date.Month - 1) / 3),
            "month" => (date.Year * 12) + date.Month,
            "week" => (ticks / TimeSpan.TicksPerDay + 1) / 7, // 1 January of year 1 was a Monday, a week begins on Sunday
            "day" => ticks / TimeSpan.TicksPerDay,
            "hour" => ticks / TimeSpan.TicksPerHour,
            "minute" => ticks / TimeSpan.TicksPerMinute,
            "second" => ticks / TimeSpan.TicksPerSecond,
            "millisecond" => ticks / TimeSpan.TicksPerMillisecond,
            "microsecond" => ticks / TimeSpan.TicksPerMicrosecond,
            "nanosecond" => ticks * 100,
            _ => throw context.Error(
                $"'{part}' is not a part of a date.",
                "Parts are year, quarter, month, week, day, hour, minute, second, millisecond, microsecond, nanosecond."
            ),
        };
    }
}
