using DroneDelivery.Telemetry.Tables;
using Kql = DroneDelivery.Telemetry.Tables.ColumnType;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>+ - * / %</c>. Whole numbers stay whole, a remainder is never negative, and what has no answer is null.</summary>
internal static class Arithmetic
{
    public static readonly Function[] Operators =
    [
        new(
            "+",
            ResultName.None,
            [
                On<long>(Kql.Long, Kql.Long, Kql.Long, (a, b) => unchecked(a + b)),
                On<double>(Kql.Real, Kql.Real, Kql.Real, (a, b) => a + b),
                On<long>(Kql.TimeSpan, Kql.TimeSpan, Kql.TimeSpan, (a, b) => unchecked(a + b)),
                On<long>(Kql.DateTime, Kql.TimeSpan, Kql.DateTime, (date, span) => InCalendar((Int128)date + span)),
                On<long>(Kql.TimeSpan, Kql.DateTime, Kql.DateTime, (span, date) => InCalendar((Int128)date + span)),
            ]
        ),
        new(
            "-",
            ResultName.None,
            [
                On<long>(Kql.Long, Kql.Long, Kql.Long, (a, b) => unchecked(a - b)),
                On<double>(Kql.Real, Kql.Real, Kql.Real, (a, b) => a - b),
                On<long>(Kql.TimeSpan, Kql.TimeSpan, Kql.TimeSpan, (a, b) => unchecked(a - b)),
                On<long>(Kql.DateTime, Kql.TimeSpan, Kql.DateTime, (date, span) => InCalendar((Int128)date - span)),
                On<long>(Kql.DateTime, Kql.DateTime, Kql.TimeSpan, (a, b) => a - b),
            ]
        ),
        new(
            "*",
            ResultName.None,
            [
                On<long>(Kql.Long, Kql.Long, Kql.Long, (a, b) => unchecked(a * b)),
                On<double>(Kql.Real, Kql.Real, Kql.Real, (a, b) => a * b),
                new(Kql.TimeSpan, [Kql.TimeSpan, Kql.Real], Kernels.Maybe<long, double, long>(Kql.TimeSpan, Scale)),
                new(
                    Kql.TimeSpan,
                    [Kql.Real, Kql.TimeSpan],
                    Kernels.Maybe<double, long, long>(Kql.TimeSpan, (factor, span) => Scale(span, factor))
                ),
            ]
        ),
        new(
            "/",
            ResultName.None,
            [
                new(Kql.Long, [Kql.Long, Kql.Long], Kernels.Maybe<long, long, long>(Kql.Long, Divide)),
                On<double>(Kql.Real, Kql.Real, Kql.Real, (a, b) => a / b),
                new(
                    Kql.Real,
                    [Kql.TimeSpan, Kql.TimeSpan],
                    Kernels.Of<long, long, double>(Kql.Real, (a, b) => (double)a / b)
                ),
                new(
                    Kql.TimeSpan,
                    [Kql.TimeSpan, Kql.Real],
                    Kernels.Maybe<long, double, long>(Kql.TimeSpan, (span, divisor) => Scale(span, 1 / divisor))
                ),
            ]
        ),
        new(
            "%",
            ResultName.None,
            [
                new(Kql.Long, [Kql.Long, Kql.Long], Kernels.Maybe<long, long, long>(Kql.Long, Modulo)),
                On<double>(Kql.Real, Kql.Real, Kql.Real, Modulo),
                new(Kql.TimeSpan, [Kql.TimeSpan, Kql.TimeSpan], Kernels.Maybe<long, long, long>(Kql.TimeSpan, Modulo)),
                new(Kql.TimeSpan, [Kql.DateTime, Kql.TimeSpan], Kernels.Maybe<long, long, long>(Kql.TimeSpan, Modulo)),
            ]
        ),
        new(
            "unary -",
            ResultName.None,
            [
                new(Kql.Long, [Kql.Long], Kernels.Of<long, long>(Kql.Long, a => unchecked(-a))),
                new(Kql.Real, [Kql.Real], Kernels.Of<double, double>(Kql.Real, a => -a)),
                new(Kql.TimeSpan, [Kql.TimeSpan], Kernels.Of<long, long>(Kql.TimeSpan, a => unchecked(-a))),
            ]
        ),
    ];

    private static Overload On<T>(ColumnType left, ColumnType right, ColumnType result, Func<T, T, T> function) =>
        new(result, [left, right], Kernels.Of(result, function));

    private static Overload On<T>(ColumnType left, ColumnType right, ColumnType result, Func<T, T, T?> function)
        where T : struct => new(result, [left, right], Kernels.Maybe<T, T, T>(result, function));

    /// <summary>Null outside of the years 1 to 9999.</summary>
    public static long? InCalendar(Int128 ticks) => ticks >= 0 && ticks <= DateTime.MaxValue.Ticks ? (long)ticks : null;

    private static long? Scale(long span, double factor) =>
        span * factor is >= long.MinValue and < long.MaxValue and var ticks ? (long)ticks : null;

    private static long? Divide(long a, long b) =>
        b == 0 ? null
        : b == -1 ? unchecked(-a)
        : a / b;

    private static long? Modulo(long a, long b) =>
        b == 0 ? null
        : b == -1 ? 0
        : a % b is < 0 and var rest ? rest + Math.Abs(b)
        : a % b;

    private static double Modulo(double a, double b) => a % b is < 0 and var rest ? rest + Math.Abs(b) : a % b;
}
