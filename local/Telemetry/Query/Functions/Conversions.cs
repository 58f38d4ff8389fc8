using System.Globalization;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;
using Kql = DroneDelivery.Telemetry.Tables.ColumnType;

namespace DroneDelivery.Telemetry.Query;

/// <summary>tostring, tolong, …, and which of them happen by themselves.</summary>
internal static class Conversions
{
    public static readonly Function[] Functions =
    [
        Make(
            "tostring",
            Kql.String,
            (Kql.String, Keep),
            (Kql.Bool, Text<bool>(truth => truth ? "True" : "False")),
            (Kql.Long, Text<long>(WholeText)),
            (Kql.Real, Text<double>(RealText)),
            (Kql.DateTime, Text<long>(DateText)),
            (Kql.TimeSpan, Text<long>(SpanText)),
            (Kql.Dynamic, Text<Dynamic>(json => json.ToString()))
        ),
        Make("tolong", Kql.Long, Wholes(Kql.Long, long.MinValue, long.MaxValue)),
        Make("toint", Kql.Int, Wholes(Kql.Int, int.MinValue, int.MaxValue)),
        Make("toreal", Kql.Real, Reals()),
        Make("todouble", Kql.Real, Reals()),
        Make("tobool", Kql.Bool, Bools()),
        Make("toboolean", Kql.Bool, Bools()),
        Make(
            "todatetime",
            Kql.DateTime,
            (Kql.DateTime, Keep),
            (Kql.String, Kernels.Maybe<string, long>(Kql.DateTime, TypedLiteral.DateTimeTicks)),
            (
                Kql.Dynamic,
                Kernels.Maybe<Dynamic, long>(Kql.DateTime, json => TypedLiteral.DateTimeTicks(json.ToString()))
            )
        ),
        Make(
            "totimespan",
            Kql.TimeSpan,
            (Kql.TimeSpan, Keep),
            (Kql.String, Kernels.Maybe<string, long>(Kql.TimeSpan, TypedLiteral.SpanTicks)),
            (Kql.Dynamic, Kernels.Maybe<Dynamic, long>(Kql.TimeSpan, json => TypedLiteral.SpanTicks(json.ToString())))
        ),
    ];

    /// <summary>
    /// What it takes to use a value of one type where another is wanted; null when only the query can say how. A dynamic number may have a
    /// fraction: beside a whole number it is cheapest to make both real.
    /// </summary>
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

    /// <summary>Applies the conversion whose cost <see cref="Cost"/> told.</summary>
    public static Scalar Convert(Scalar value, ColumnType to)
    {
        if (value.Type == to || (value.Type, to) is (Kql.Int, Kql.Long))
            return value;
        var function = FunctionTable.Find(
            to switch
            {
                Kql.Bool => "tobool",
                Kql.DateTime => "todatetime",
                Kql.Int => "toint",
                Kql.Long => "tolong",
                Kql.Real => "toreal",
                Kql.TimeSpan => "totimespan",
                _ => "tostring",
            }
        )!;
        return new CallScalar(to, function.Resolve([value.Type])!.Kernel, [value]);
    }

    /// <summary>What a dynamic value becomes where the other choice has this type.</summary>
    public static ColumnType Beside(ColumnType other) => other is Kql.Int or Kql.Long ? Kql.Real : other;

    public static string WholeText(long value) => value.ToString(CultureInfo.InvariantCulture);

    public static string RealText(double value) => value.ToString("R", CultureInfo.InvariantCulture);

    public static string DateText(long ticks) =>
        new DateTime(ticks, DateTimeKind.Utc).ToString("O", CultureInfo.InvariantCulture);

    public static string SpanText(long ticks) => new TimeSpan(ticks).ToString("c", CultureInfo.InvariantCulture);

    private static Function Make(string name, ColumnType result, params (ColumnType From, Kernel Kernel)[] kernels) =>
        new(
            name,
            ResultName.FirstArgument,
            [.. kernels.Select(each => new Overload(result, [each.From], each.Kernel))]
        );

    private static Column Keep(Column[] arguments, int length, QueryContext context) => arguments[0];

    private static Kernel Text<T>(Func<T, string> text) => Kernels.Of(Kql.String, text);

    private static (ColumnType, Kernel)[] Wholes(ColumnType type, long min, long max)
    {
        long? InRange(long? value) => value >= min && value <= max ? value : null;
        long? Truncate(double value) => value >= long.MinValue && value < long.MaxValue ? InRange((long)value) : null;
        return
        [
            (Kql.Long, Kernels.Maybe<long, long>(type, value => InRange(value))),
            (Kql.Real, Kernels.Maybe<double, long>(type, Truncate)),
            (Kql.Bool, Kernels.Of<bool, long>(type, truth => truth ? 1 : 0)),
            (Kql.String, Kernels.Maybe<string, long>(type, text => InRange(TypedLiteral.Whole(text)))),
            (
                Kql.Dynamic,
                Kernels.Maybe<Dynamic, long>(type, json =>
                    TypedLiteral.Real(Number(json)) is { } real
                        ? InRange(TypedLiteral.Whole(Number(json))) ?? Truncate(real)
                        : null
                )
            ),
        ];
    }

    private static (ColumnType, Kernel)[] Reals() =>
        [
            (Kql.Real, Keep),
            (Kql.Long, Kernels.Of<long, double>(Kql.Real, value => value)),
            (Kql.Bool, Kernels.Of<bool, double>(Kql.Real, truth => truth ? 1 : 0)),
            (Kql.String, Kernels.Maybe<string, double>(Kql.Real, TypedLiteral.Real)),
            (Kql.Dynamic, Kernels.Maybe<Dynamic, double>(Kql.Real, json => TypedLiteral.Real(Number(json)))),
        ];

    private static (ColumnType, Kernel)[] Bools() =>
        [
            (Kql.Bool, Keep),
            (Kql.Long, Kernels.Of<long, bool>(Kql.Bool, value => value != 0)),
            (Kql.Real, Kernels.Of<double, bool>(Kql.Bool, value => value != 0)),
            (Kql.String, Kernels.Maybe<string, bool>(Kql.Bool, TypedLiteral.Bool)),
            (Kql.Dynamic, Kernels.Maybe<Dynamic, bool>(Kql.Bool, json => TypedLiteral.Bool(json.ToString()))),
        ];

    private static string Number(Dynamic json) =>
        json.Kind switch
        {
            JsonValueKind.True => "1",
            JsonValueKind.False => "0",
            JsonValueKind.Number or JsonValueKind.String => json.ToString(),
            _ => "",
        };
}
