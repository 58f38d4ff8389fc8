using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>== != &lt; &lt;= &gt; &gt;=</c>. Of two nulls nobody knows whether they are equal; a null and a value are not.</summary>
internal static class ValueComparisons
{
    public static Overload[] Equality(bool negated) =>
        [
            Equal<long>(ColumnType.Long, (a, b) => a == b, negated),
            Equal<double>(ColumnType.Real, (a, b) => a == b, negated),
            Equal<bool>(ColumnType.Bool, (a, b) => a == b, negated),
            Equal<string>(ColumnType.String, string.Equals, negated),
            Equal<long>(ColumnType.DateTime, (a, b) => a == b, negated),
            Equal<long>(ColumnType.TimeSpan, (a, b) => a == b, negated),
            // The portal's classic tables hold success as the text "True" or "False", newer ones as bool: queries are written for either.
            Equal<bool, string>(ColumnType.Bool, ColumnType.String, IsText, negated),
            Equal<string, bool>(ColumnType.String, ColumnType.Bool, (text, truth) => IsText(truth, text), negated),
            Equal<bool, long>(ColumnType.Bool, ColumnType.Long, (truth, number) => truth == (number != 0), negated),
        ];

    /// <param name="text">What the sign of an ordinal comparison says.</param>
    public static Overload[] Order(
        Func<int, bool> text,
        Func<long, long, bool> whole,
        Func<double, double, bool> real
    ) =>
        [
            new(ColumnType.Bool, [ColumnType.Long, ColumnType.Long], Kernels.Of(ColumnType.Bool, whole)),
            new(ColumnType.Bool, [ColumnType.Real, ColumnType.Real], Kernels.Of(ColumnType.Bool, real)),
            new(ColumnType.Bool, [ColumnType.DateTime, ColumnType.DateTime], Kernels.Of(ColumnType.Bool, whole)),
            new(ColumnType.Bool, [ColumnType.TimeSpan, ColumnType.TimeSpan], Kernels.Of(ColumnType.Bool, whole)),
            new(
                ColumnType.Bool,
                [ColumnType.String, ColumnType.String],
                Kernels.Of<string, string, bool>(ColumnType.Bool, (a, b) => text(string.CompareOrdinal(a, b)))
            ),
        ];

    private static bool IsText(bool truth, string text) =>
        text.Equals(truth ? "True" : "False", StringComparison.OrdinalIgnoreCase);

    private static Overload Equal<T>(ColumnType type, Func<T, T, bool> equal, bool negated) =>
        Equal<T, T>(type, type, equal, negated);

    private static Overload Equal<A, B>(ColumnType left, ColumnType right, Func<A, B, bool> equal, bool negated) =>
        new(ColumnType.Bool, [left, right], (arguments, length, context) =>
        {
            var (a, b) = (arguments[0].As<A>(), arguments[1].As<B>());
            var result = new Maker<bool>(ColumnType.Bool, length, context);
            for (var i = 0; i < length; i++)
            {
                var (aIsNull, bIsNull) = (a.IsNull(i), b.IsNull(i));
                if (aIsNull && bIsNull)
                    result.SetNull(i);
                else
                    result.Set(i, (!aIsNull && !bIsNull && equal(a[i], b[i])) != negated);
            }
            return result.Column;
        });
}
