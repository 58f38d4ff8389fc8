using DroneDelivery.Telemetry.Tables;
using Kql = DroneDelivery.Telemetry.Tables.ColumnType;

namespace DroneDelivery.Telemetry.Query;

/// <summary>iff, case (which is iff in iff), coalesce, min_of, max_of, isnull.</summary>
internal static class Conditions
{
    private static readonly ColumnType[] AllTypes = Enum.GetValues<ColumnType>();

    public static readonly Function[] Functions =
    [
        new("iff", ResultName.None, [.. AllTypes.Select(Iff)]) { BindOwn = BindIff },
        new("iif", ResultName.None, [.. AllTypes.Select(Iff)]) { BindOwn = BindIff },
        new("case", ResultName.None, []) { BindOwn = BindCase },
        new("coalesce", ResultName.None, [.. AllTypes.Select(Coalesce)], Folds: true),
        new(
            "min_of",
            ResultName.None,
            [
                Extreme<long>(Kql.Int, -1),
                Extreme<long>(Kql.Long, -1),
                Extreme<double>(Kql.Real, -1),
                Extreme<long>(Kql.DateTime, -1),
                Extreme<long>(Kql.TimeSpan, -1),
            ],
            Folds: true
        ),
        new(
            "max_of",
            ResultName.None,
            [
                Extreme<long>(Kql.Int, 1),
                Extreme<long>(Kql.Long, 1),
                Extreme<double>(Kql.Real, 1),
                Extreme<long>(Kql.DateTime, 1),
                Extreme<long>(Kql.TimeSpan, 1),
            ],
            Folds: true
        ),
        new("isnull", ResultName.None, [.. AllTypes.Select(type => NullTest(type, whenNull: true))]),
        new("isnotnull", ResultName.None, [.. AllTypes.Select(type => NullTest(type, whenNull: false))]),
    ];

    private static Scalar? BindIff(Call call, ExpressionBinder binder) =>
        call.Arguments is [var condition, var yes, var no]
            ? BindIff(call.At, condition, binder.Bind(yes), binder.Bind(no), binder)
            : null;

    private static Scalar BindIff(int at, Expression condition, Scalar yes, Scalar no, ExpressionBinder binder)
    {
        // dynamic gives way to a plain type
        if (yes.Type == Kql.Dynamic && no.Type != Kql.Dynamic)
            yes = Conversions.Convert(yes, Conversions.Beside(no.Type));
        if (no.Type == Kql.Dynamic && yes.Type != Kql.Dynamic)
            no = Conversions.Convert(no, Conversions.Beside(yes.Type));
        return binder.BindCall("iff", at, [binder.BindPredicate(condition), yes, no]);
    }

    private static Scalar BindCase(Call call, ExpressionBinder binder)
    {
        if (call.Arguments.Count < 3 || call.Arguments.Count % 2 == 0)
        {
            throw binder.Error(
                call.At,
                "case takes pairs of condition and value, and one value for all else.",
                "For example: case(x > 10, 'big', x > 1, 'small', 'none')."
            );
        }
        var result = binder.Bind(call.Arguments[^1]);
        for (var i = call.Arguments.Count - 3; i >= 0; i -= 2)
            result = BindIff(call.At, call.Arguments[i], binder.Bind(call.Arguments[i + 1]), result, binder);
        return result;
    }

    private static Overload Iff(ColumnType type) =>
        new(
            type,
            [Kql.Bool, type, type],
            type switch
            {
                Kql.Bool => Choose<bool>(type),
                Kql.Real => Choose<double>(type),
                Kql.String => Choose<string>(type),
                Kql.Dynamic => Choose<Dynamic>(type),
                _ => Choose<long>(type),
            }
        );

    private static Overload Coalesce(ColumnType type) =>
        new(
            type,
            [type, type],
            type switch
            {
                Kql.Bool => FirstWithValue<bool>(type),
                Kql.Real => FirstWithValue<double>(type),
                Kql.String => Kernels.Of<string, string, string>(type, (a, b) => a.Length > 0 ? a : b),
                Kql.Dynamic => FirstWithValue<Dynamic>(type),
                _ => FirstWithValue<long>(type),
            }
        );

    private static Kernel Choose<T>(ColumnType type) =>
        (arguments, length, context) =>
        {
            var condition = arguments[0].As<bool>();
            var (yes, no) = (arguments[1].As<T>(), arguments[2].As<T>());
            var result = new Maker<T>(type, length, context);
            for (var i = 0; i < length; i++)
                Copy(condition[i] && !condition.IsNull(i) ? yes : no, i, ref result);
            return result.Column;
        };

    private static Kernel FirstWithValue<T>(ColumnType type) =>
        (arguments, length, context) =>
        {
            var (first, second) = (arguments[0].As<T>(), arguments[1].As<T>());
            var result = new Maker<T>(type, length, context);
            for (var i = 0; i < length; i++)
                Copy(first.IsNull(i) ? second : first, i, ref result);
            return result.Column;
        };

    private static void Copy<T>(Values<T> from, int row, ref Maker<T> to)
    {
        if (from.IsNull(row))
            to.SetNull(row);
        else
            to.Set(row, from[row]);
    }

    // Null loses against a value.
    private static Overload Extreme<T>(ColumnType type, int sign)
        where T : struct, IComparable<T> => new(type, [type, type], (arguments, length, context) =>
        {
            var (a, b) = (arguments[0].As<T>(), arguments[1].As<T>());
            var result = new Maker<T>(type, length, context);
            for (var i = 0; i < length; i++)
                Copy(b.IsNull(i) || (!a.IsNull(i) && a[i].CompareTo(b[i]) * sign >= 0) ? a : b, i, ref result);
            return result.Column;
        });

    private static Overload NullTest(ColumnType type, bool whenNull) =>
        new(
            Kql.Bool,
            [type],
            type switch
            {
                Kql.Bool => NullTest<bool>(whenNull),
                Kql.Real => NullTest<double>(whenNull),
                Kql.String => NullTest<string>(whenNull),
                Kql.Dynamic => NullTest<Dynamic>(whenNull),
                _ => NullTest<long>(whenNull),
            }
        );

    private static Kernel NullTest<T>(bool whenNull) =>
        (arguments, length, context) =>
        {
            var values = arguments[0].As<T>();
            var result = new Maker<bool>(Kql.Bool, length, context);
            for (var i = 0; i < length; i++)
                result.Set(i, values.IsNull(i) == whenNull);
            return result.Column;
        };
}
