using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>and</c>, <c>or</c>, <c>not</c> with three values: what one side decides alone needs no other side.</summary>
internal static class Logic
{
    public static readonly Function[] Operators =
    [
        new(
            "and",
            ResultName.None,
            [new(ColumnType.Bool, [ColumnType.Bool, ColumnType.Bool], Combine(decisive: false))]
        ),
        new("or", ResultName.None, [new(ColumnType.Bool, [ColumnType.Bool, ColumnType.Bool], Combine(decisive: true))]),
    ];

    public static readonly Function[] Functions =
    [
        new(
            "not",
            ResultName.None,
            [new(ColumnType.Bool, [ColumnType.Bool], Kernels.Of<bool, bool>(ColumnType.Bool, a => !a))]
        ),
    ];

    /// <param name="decisive">The value that settles the result whatever the other side is.</param>
    private static Kernel Combine(bool decisive) =>
        (arguments, length, context) =>
        {
            var (a, b) = (arguments[0].As<bool>(), arguments[1].As<bool>());
            var result = new Maker<bool>(ColumnType.Bool, length, context);
            for (var i = 0; i < length; i++)
            {
                var (aIsNull, bIsNull) = (a.IsNull(i), b.IsNull(i));
                if ((!aIsNull && a[i] == decisive) || (!bIsNull && b[i] == decisive))
                    result.Set(i, decisive);
                else if (aIsNull || bIsNull)
                    result.SetNull(i);
                else
                    result.Set(i, !decisive);
            }
            return result.Column;
        };
}
