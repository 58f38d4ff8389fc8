using static DroneDelivery.Telemetry.Query.Kernels;

namespace DroneDelivery.Telemetry.Query;

/// <summary>
/// <c>+ - * / %</c>. Operations on integers return integers, remainders are never negative, and undefined results are null.
/// </summary>
internal static class Arithmetic
{
    public static readonly Function[] Operators =
    [
        new(
            "+",
            [
                .. Overload.Each("long timespan", "T, T -> T", Of((long a, long b) => a + b)),
                new("real, real -> real", Of((double a, double b) => a + b)),
                new("datetime, timespan -> datetime", Maybe((long date, long span) => InCalendar((Int128)date + span))),
                new("timespan, datetime -> datetime", Maybe((long span, long date) => InCalendar((Int128)date + span))),
            ]
        ),
        new(
            "-",
            [
                .. Overload.Each("long timespan", "T, T -> T", Of((long a, long b) => a - b)),
                new("real, real -> real", Of((double a, double b) => a - b)),
                new("datetime, timespan -> datetime", Maybe((long date, long span) => InCalendar((Int128)date - span))),
                new("datetime, datetime -> timespan", Of((long a, long b) => a - b)),
            ]
        ),
        new(
            "*",
            new("long, long -> long", Of((long a, long b) => a * b)),
            new("real, real -> real", Of((double a, double b) => a * b)),
            new("timespan, real -> timespan", Maybe<long, double, long>(Scale)),
            new("real, timespan -> timespan", Maybe((double factor, long span) => Scale(span, factor)))
        ),
        new(
            "/",
            new("long, long -> long", Maybe<long, long, long>(Divide)),
            new("real, real -> real", Of((double a, double b) => a / b)),
            new("timespan, timespan -> real", Of((long a, long b) => (double)a / b)),
            new("timespan, real -> timespan", Maybe((long span, double divisor) => Scale(span, 1 / divisor)))
        ),
        new(
            "%",
            [
                .. Overload.Each("long timespan", "T, T -> T", Maybe<long, long, long>(Modulo)),
                new("real, real -> real", Of<double, double, double>(Modulo)),
                new("datetime, timespan -> timespan", Maybe<long, long, long>(Modulo)),
            ]
        ),
        new(
            "unary -",
            [.. Overload.Each("long timespan", "T -> T", Of((long a) => -a)), new("real -> real", Of((double a) => -a))]
        ),
    ];

    public static long? InCalendar(Int128 ticks) => ticks >= 0 && ticks <= DateTime.MaxValue.Ticks ? (long)ticks : null;

    private static long? Scale(long span, double factor) =>
        span * factor is >= long.MinValue and < long.MaxValue and var ticks ? (long)ticks : null;

    private static long? Divide(long a, long b) =>
        b == 0 ? null
        : b == -1 ? -a
        : a / b;

    private static long? Modulo(long a, long b) =>
        b == 0 ? null
        : b == -1 ? 0
        : a % b is < 0 and var rest ? rest + Math.Abs(b)
        : a % b;

    private static double Modulo(double a, double b) => a % b is < 0 and var rest ? rest + Math.Abs(b) : a % b;
}
