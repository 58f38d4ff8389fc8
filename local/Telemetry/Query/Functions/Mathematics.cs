using static DroneDelivery.Telemetry.Query.Function;
using static DroneDelivery.Telemetry.Query.Kernels;

namespace DroneDelivery.Telemetry.Query;

internal static class Mathematics
{
    public static readonly Function[] Functions =
    [
        Bin("bin"),
        Bin("floor"),
        KeepsName(
            "round",
            new("real -> real", Of((double value) => Math.Round(value, MidpointRounding.AwayFromZero))),
            new("real, long -> real", Of<double, long, double>(Round)),
            new("long -> long", Same)
        ),
        KeepsName("ceiling", [new("real -> real", Of<double, double>(Math.Ceiling)), new("long -> long", Same)]),
        KeepsName(
            "abs",
            [
                .. Overload.Each("long timespan", "T -> T", Of<long, long>(Absolute)),
                new("real -> real", Of<double, double>(Math.Abs)),
            ]
        ),
        KeepsName("sqrt", "real -> real", Maybe((double value) => NonNegative(value, Math.Sqrt))),
        KeepsName("exp", "real -> real", Of<double, double>(Math.Exp)),
        KeepsName("log", "real -> real", Maybe((double value) => NonNegative(value, Math.Log))),
        KeepsName("log10", "real -> real", Maybe((double value) => NonNegative(value, Math.Log10))),
        KeepsName("pow", "real, real -> real", Of<double, double, double>(Math.Pow)),
        new("isnan", "real -> bool", Of<double, bool>(double.IsNaN)),
        new("isfinite", "real -> bool", Of<double, bool>(double.IsFinite)),
    ];

    private static Function Bin(string name) =>
        KeepsName(
            name,
            new("long, long -> long", Maybe<long, long, long>(BinDown)),
            new("real, real -> real", Maybe<double, double, double>(BinDown)),
            new("datetime, timespan -> datetime", Maybe<long, long, long>(BinDown)),
            new("timespan, timespan -> timespan", Maybe<long, long, long>(BinDown))
        );

    private static long Absolute(long value) => value < 0 ? -value : value;

    private static double? NonNegative(double value, Func<double, double> function) =>
        value < 0 ? null : function(value);

    // Rounds toward negative infinity; null if the width is 0.
    private static long? BinDown(long value, long width)
    {
        if (width <= 0)
            return null;
        var rest = value % width;
        return rest < 0 ? value - rest - width : value - rest;
    }

    private static double? BinDown(double value, double width) => width > 0 ? Math.Floor(value / width) * width : null;

    private static double Round(double value, long digits)
    {
        if (digits is < -15 or > 15)
            return value;
        if (digits < 0)
            return Math.Round(value / Math.Pow(10, -digits), MidpointRounding.AwayFromZero) * Math.Pow(10, -digits);
        return (double)decimal.MaxValue > Math.Abs(value)
            ? (double)Math.Round((decimal)value, (int)digits, MidpointRounding.AwayFromZero) // As a decimal, because the binary 2.15 is less than 2.15.
            : value;
    }
}
