using System.Buffers;
using System.Globalization;
using static DroneDelivery.Telemetry.Query.Function;
using static DroneDelivery.Telemetry.Query.Kernels;

namespace DroneDelivery.Telemetry.Query;

internal static class Dates
{
    private static readonly SearchValues<char> FormatCharacters = SearchValues.Create("dfFhHmMstyY /-:,._[]");

    public static readonly Function[] Functions =
    [
        new(
            "now",
            [
                new("-> datetime", type =>
                    (_, length, context) => Columns.Constant(type, context.Now.UtcTicks, length)
                ),
                new("timespan -> datetime", FromNow(direction: 1)),
            ]
        ),
        new("ago", "timespan -> datetime", FromNow(direction: -1)),
        KeepsName("format_datetime", "datetime, string -> string", Of<long, string, string>(Format)),
        new(
            "datetime_diff",
            "string, datetime, datetime -> long",
            With(context =>
                Of(
                    (string part, long later, long earlier) =>
                        Boundary(part, later, context) - Boundary(part, earlier, context)
                )
            )
        ),
        KeepsName("startofday", "datetime -> datetime", Of((long ticks) => ticks - (ticks % TimeSpan.TicksPerDay))),
    ];

    private static KernelOf FromNow(int direction) =>
        With(context => Maybe((long span) => Arithmetic.InCalendar(context.Now.UtcTicks + ((Int128)span * direction))));

    // The letters have the same meaning in .NET, but a single letter would be a standard format.
    private static string Format(long ticks, string format) =>
        format.Length is 0 or > 100 || format.AsSpan().ContainsAnyExcept(FormatCharacters)
            ? ""
            : new DateTime(ticks, DateTimeKind.Utc).ToString(
                format.Length == 1 ? "%" + format : format,
                CultureInfo.InvariantCulture
            );

    private static long Boundary(string part, long ticks, QueryContext context)
    {
        var date = new DateTime(ticks, DateTimeKind.Utc);
        return part.ToLowerInvariant() switch
        {
            "year" => date.Year,
            "quarter" => (date.Year * 4) + ((date.Month - 1) / 3),
            "month" => (date.Year * 12) + date.Month,
            "week" => (ticks / TimeSpan.TicksPerDay + 1) / 7, // January 1 of year 1 was a Monday, but weeks start on Sunday.
            "day" => ticks / TimeSpan.TicksPerDay,
            "hour" => ticks / TimeSpan.TicksPerHour,
            "minute" => ticks / TimeSpan.TicksPerMinute,
            "second" => ticks / TimeSpan.TicksPerSecond,
            "millisecond" => ticks / TimeSpan.TicksPerMillisecond,
            "microsecond" => ticks / TimeSpan.TicksPerMicrosecond,
            "nanosecond" => ticks * 100,
            _ => throw context.Error(
                $"'{part}' is not a part of a date.",
                "Parts: year, quarter, month, week, day, hour, minute, second, millisecond, microsecond, nanosecond."
            ),
        };
    }
}
