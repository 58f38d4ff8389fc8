using Kql = DroneDelivery.Telemetry.Tables.ColumnType;

namespace DroneDelivery.Telemetry.Query;

internal static class Mathematics
{
    public static readonly Function[] Functions =
    [
        Bin("bin"),
        Bin("floor"),
        new(
            "round",
            ResultName.FirstArgument,
            [
                new(
                    Kql.Real,
                    [Kql.Real],
                    Kernels.Of<double, double>(Kql.Real, value => Math.Round(value, MidpointRounding.AwayFromZero))
                ),
                new(Kql.Real, [Kql.Real, Kql.Long], Kernels.Of<double, long, double>(Kql.Real, Round)),
                new(Kql.Long, [Kql.Long], Kernels.Of<long, long>(Kql.Long, value => value)),
            ]
        ),
        new(
            "ceiling",
            ResultName.FirstArgument,
            [OnReal(Math.Ceiling), new(Kql.Long, [Kql.Long], Kernels.Of<long, long>(Kql.Long, value => value))]
        ),
        new(
            "abs",
            ResultName.FirstArgument,
            [
                OnReal(Math.Abs),
                new(
                    Kql.Long,
                    [Kql.Long],
                    Kernels.Of<long, long>(Kql.Long, value => value < 0 ? unchecked(-value) : value)
                ),
                new(
                    Kql.TimeSpan,
                    [Kql.TimeSpan],
                    Kernels.Of<long, long>(Kql.TimeSpan, value => value < 0 ? unchecked(-value) : value)
                ),
            ]
        ),
        new("sqrt", ResultName.FirstArgument, [OfReal(value => value < 0 ? null : Math.Sqrt(value))]),
        new("exp", ResultName.FirstArgument, [OnReal(Math.Exp)]),
        new("log", ResultName.FirstArgument, [OfReal(value => value < 0 ? null : Math.Log(value))]),
        new("log10", ResultName.FirstArgument, [OfReal(value => value < 0 ? null : Math.Log10(value))]),
        new(
            "pow",
            ResultName.FirstArgument,
            [new(Kql.Real, [Kql.Real, Kql.Real], Kernels.Of<double, double, double>(Kql.Real, Math.Pow))]
        ),
        new("isnan", ResultName.None, [new(Kql.Bool, [Kql.Real], Kernels.Of<double, bool>(Kql.Bool, double.IsNaN))]),
        new(
            "isfinite",
            ResultName.None,
            [new(Kql.Bool, [Kql.Real], Kernels.Of<double, bool>(Kql.Bool, double.IsFinite))]
        ),
    ];

    private static Overload OnReal(Func<double, double> function) =>
        new(Kql.Real, [Kql.Real], Kernels.Of(Kql.Real, function));

    private static Overload OfReal(Func<double, double?> function) =>
        new(Kql.Real, [Kql.Real], Kernels.Maybe(Kql.Real, function));

    private static Function Bin(string name) =>
        new(
            name,
            ResultName.FirstArgument,
            [
                new(Kql.Long, [Kql.Long, Kql.Long], Kernels.Maybe<long, long, long>(Kql.Long, BinDown)),
                new(Kql.Real, [Kql.Real, Kql.Real], Kernels.Maybe<double, double, double>(Kql.Real, BinDown)),
                new(Kql.DateTime, [Kql.DateTime, Kql.TimeSpan], Kernels.Maybe<long, long, long>(Kql.DateTime, BinDown)),
                new(Kql.TimeSpan, [Kql.TimeSpan, Kql.TimeSpan], Kernels.Maybe<long, long, long>(Kql.TimeSpan, BinDown)),
            ]
        );

    // Down also below zero. A bin of no width has no beginning.
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
            ? (double)Math.Round((decimal)value, (int)digits, MidpointRounding.AwayFromZero) // 2.15 is less than 2.15 in binary
            : value;
    }
}
