using System.Globalization;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;
using static DroneDelivery.Telemetry.Query.Function;
using static DroneDelivery.Telemetry.Query.Kernels;
using Kql = DroneDelivery.Telemetry.Tables.ColumnType;

namespace DroneDelivery.Telemetry.Query;

internal static class Conversions
{
    public static readonly Function[] Functions =
    [
        KeepsName(
            "tostring",
            new("string -> string", Same),
            new("bool -> string", Of((bool truth) => truth ? "True" : "False")),
            new("long -> string", Of((long value) => value.ToString(CultureInfo.InvariantCulture))),
            new("real -> string", Of((double value) => value.ToString("R", CultureInfo.InvariantCulture))),
            new("datetime -> string", Of<long, string>(DateText)),
            new("timespan -> string", Of<long, string>(SpanText)),
            new("dynamic -> string", Of((Dynamic json) => json.ToString()))
        ),
        Whole("tolong", "long", long.MinValue, long.MaxValue),
        Whole("toint", "int", int.MinValue, int.MaxValue),
        Real("toreal"),
        Real("todouble"),
        ToBoolean("tobool"),
        ToBoolean("toboolean"),
        KeepsName(
            "todatetime",
            new("datetime -> datetime", Same),
            new("string -> datetime", Maybe<string, long>(TypedLiteral.DateTimeTicks)),
            new("dynamic -> datetime", Maybe((Dynamic json) => TypedLiteral.DateTimeTicks(json.ToString())))
        ),
        KeepsName(
            "totimespan",
            new("timespan -> timespan", Same),
            new("string -> timespan", Maybe<string, long>(TypedLiteral.SpanTicks)),
            new("dynamic -> timespan", Maybe((Dynamic json) => TypedLiteral.SpanTicks(json.ToString())))
        ),
    ];

    /// <summary>Returns the cost of an implicit conversion; <c>null</c> if it must be explicit. For a dynamic value and
    /// an integer, converting both to real is cheapest, because the dynamic value can have a fraction.</summary>
    public static int? Cost(ColumnType from, ColumnType to) =>
        (from, to) switch
        {
            _ when from == to => 0,
            (Kql.Int, Kql.Long) => 1,
            (Kql.Int, Kql.Real) => 3,
            (Kql.Long, Kql.Real) => 2,
            (Kql.Dynamic, Kql.Real) => 10,
            (Kql.Dynamic, Kql.DateTime or Kql.TimeSpan) => 11,
            (Kql.Dynamic, Kql.Int) => 15,
            (Kql.Dynamic, _) => 14,
            _ => null,
        };

    public static Scalar Convert(Scalar value, ColumnType to)
    {
        if (value.Type == to || (value.Type, to) is (Kql.Int, Kql.Long))
            return value;
        var function = FunctionTable.Known($"to{to.KqlName()}");
        return new CallScalar(to, function.Resolve([value.Type])!.Kernel, [value]);
    }

    public static ColumnType NextTo(ColumnType other) => other is Kql.Int or Kql.Long ? Kql.Real : other;

    public static string DateText(long ticks) =>
        new DateTime(ticks, DateTimeKind.Utc).ToString("O", CultureInfo.InvariantCulture);

    public static string SpanText(long ticks) => new TimeSpan(ticks).ToString("c", CultureInfo.InvariantCulture);

    private static Function Whole(string name, string type, long min, long max)
    {
        return KeepsName(
            name,
            new($"long -> {type}", Maybe((long value) => InRange(value))),
            new($"real -> {type}", Maybe<double, long>(Truncate)),
            new($"bool -> {type}", Of((bool truth) => truth ? 1L : 0L)),
            new($"string -> {type}", Maybe((string text) => InRange(TypedLiteral.Whole(text)))),
            new(
                $"dynamic -> {type}",
                Maybe((Dynamic json) => InRange(TypedLiteral.Whole(Number(json))) ?? Rounded(json))
            )
        );

        long? InRange(long? value) => value >= min && value <= max ? value : null;

        long? Truncate(double value) => value >= long.MinValue && value < long.MaxValue ? InRange((long)value) : null;

        long? Rounded(Dynamic json) => TypedLiteral.Real(Number(json)) is { } real ? Truncate(real) : null;
    }

    private static Function Real(string name) =>
        KeepsName(
            name,
            new("real -> real", Same),
            new("long -> real", Of((long value) => (double)value)),
            new("bool -> real", Of((bool truth) => truth ? 1.0 : 0.0)),
            new("string -> real", Maybe<string, double>(TypedLiteral.Real)),
            new("dynamic -> real", Maybe((Dynamic json) => TypedLiteral.Real(Number(json))))
        );

    private static Function ToBoolean(string name) =>
        KeepsName(
            name,
            new("bool -> bool", Same),
            new("long -> bool", Of((long value) => value != 0)),
            new("real -> bool", Of((double value) => value != 0)),
            new("string -> bool", Maybe<string, bool>(TypedLiteral.Bool)),
            new("dynamic -> bool", Maybe((Dynamic json) => TypedLiteral.Bool(json.ToString())))
        );

    private static string Number(Dynamic json) =>
        json.Kind switch
        {
            JsonValueKind.True => "1",
            JsonValueKind.False => "0",
            JsonValueKind.Number or JsonValueKind.String => json.ToString(),
            _ => "",
        };
}
