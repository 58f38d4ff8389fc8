using System.Globalization;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Parses values: <c>datetime(2030-01-01)</c>, <c>1.5h</c>, and arguments of conversion functions.</summary>
internal static class TypedLiteral
{
    private static readonly System.Buffers.SearchValues<char> SpanDigits = System.Buffers.SearchValues.Create(
        "0123456789.-"
    );

    // All formats contain the year; otherwise, the current one would be assumed.
    private static readonly string[] DateFormats =
    [
        "yyyy-M-dTH:mm:ss.FFFFFFFK",
        "yyyy-M-d H:mm:ss.FFFFFFFK",
        "yyyy-M-dTH:mmK",
        "yyyy-M-d H:mmK",
        "yyyy-M-d",
        "yyyy-M",
        "yyyy",
        "yyyyMMdd",
        .. new[]
        {
            "M/d/yyyy",
            "d MMM yyyy",
            "d MMM yy",
            "ddd, d MMM yyyy",
            "ddd, d MMM yy",
            "dddd, d-MMM-yy",
        }.SelectMany(date => new[] { date, $"{date} H:mmK", $"{date} H:mm:ss.FFFFFFFK", $"{date} h:mm:ss tt" }),
    ];

    public static ColumnType? TypeOf(string word) =>
        word switch
        {
            "date" => ColumnType.DateTime,
            "string" => null,
            _ => ColumnTypes.Find(word),
        };

    public static string Example(string word, ColumnType type) =>
        type switch
        {
            ColumnType.DateTime => $"For example: {word}(2030-01-31T22:30:00Z).",
            ColumnType.TimeSpan => $"For example: {word}(1.02:03:04) or 5m.",
            ColumnType.Dynamic => $"For example: {word}([1, 2]) or {word}({{\"key\": \"value\"}}).",
            ColumnType.Bool => $"For example: {word}(true).",
            ColumnType.Real => $"For example: {word}(1.5).",
            _ => $"For example: {word}(42).",
        };

    public static bool Parse(ColumnType type, string text, out object? value)
    {
        var bare = type != ColumnType.Dynamic && text is ['"' or '\'', .., '"' or '\''] ? text[1..^1] : text;
        value = type switch
        {
            ColumnType.DateTime => DateTimeTicks(bare),
            ColumnType.TimeSpan => SpanTicks(bare),
            ColumnType.Bool => Bool(bare),
            ColumnType.Real => Real(bare),
            ColumnType.Int => Whole(bare) is >= int.MinValue and <= int.MaxValue and var small ? small : null,
            ColumnType.Long => Whole(bare),
            ColumnType.Dynamic => Dynamic.FromLiteral(bare),
            _ => bare,
        };
        return value is not null;
    }

    public static long? DateTimeTicks(string text)
    {
        const DateTimeStyles Utc =
            DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal | DateTimeStyles.AllowWhiteSpaces;
        var date = text.AsSpan();
        if (date.EndsWith(" GMT", StringComparison.Ordinal))
            date = date[..^4];
        return DateTime.TryParseExact(date, DateFormats, CultureInfo.InvariantCulture, Utc, out var moment)
            ? moment.Ticks
            : null;
    }

    public static long? SpanTicks(string text)
    {
        var split = text.AsSpan().IndexOfAnyExcept(SpanDigits);
        if (split > 0 && text[split] != ':')
            return TicksPer(text[split..].Trim()) is { } ticks ? Span(text[..split].Trim(), ticks) : null;
        return split < 0 && !text.Contains('.') // A number without a unit is in days.
                ? Span(text, TimeSpan.TicksPerDay)
            : TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out var span) ? span.Ticks
            : null;
    }

    public static bool? Bool(string text) =>
        text.Trim().ToLowerInvariant() switch
        {
            "true" or "1" => true,
            "false" or "0" => false,
            var other => long.TryParse(
                other,
                NumberStyles.AllowLeadingSign,
                CultureInfo.InvariantCulture,
                out var number
            )
                ? number != 0
                : null,
        };

    public static double? Real(string text) =>
        text switch
        {
            "nan" => double.NaN,
            "+inf" => double.PositiveInfinity,
            "-inf" => double.NegativeInfinity,
            _ => double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var value) ? value : null,
        };

    public static long? Whole(string text)
    {
        var isHex = text.StartsWith("0x", StringComparison.OrdinalIgnoreCase);
        return isHex
            ? long.TryParse(text.AsSpan(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var hex)
                ? hex
                : null
            : long.TryParse(
                text,
                NumberStyles.AllowLeadingSign | NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite,
                CultureInfo.InvariantCulture,
                out var value
            )
                ? value
                : null;
    }

    public static object? Number(string digits, bool isReal) => isReal ? (object?)Real(digits) : Whole(digits);

    public static long? TicksPer(string unit) =>
        unit switch
        {
            "d" or "day" or "days" => TimeSpan.TicksPerDay,
            "h" or "hr" or "hrs" or "hour" or "hours" => TimeSpan.TicksPerHour,
            "m" or "min" or "minute" or "minutes" => TimeSpan.TicksPerMinute,
            "s" or "sec" or "second" or "seconds" => TimeSpan.TicksPerSecond,
            "ms" or "milli" or "millis" or "millisecond" or "milliseconds" => TimeSpan.TicksPerMillisecond,
            "micro" or "micros" or "microsecond" or "microseconds" => TimeSpan.TicksPerMicrosecond,
            "tick" or "ticks" => 1,
            _ => null,
        };

    /// <summary>Parses a timespan; <c>null</c> if it's out of range.</summary>
    public static long? Span(string number, long ticksPerUnit) =>
        decimal.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out var value)
        && Math.Abs(value) < (decimal)long.MaxValue / ticksPerUnit
            ? (long)(value * ticksPerUnit)
            : null;
}
