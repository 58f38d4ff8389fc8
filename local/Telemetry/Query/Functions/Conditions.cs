using DroneDelivery.Telemetry.Tables;
using Kql = DroneDelivery.Telemetry.Tables.ColumnType;

namespace DroneDelivery.Telemetry.Query;

/// <summary>iff, case (nested iff), coalesce, min_of, max_of, and isnull.</summary>
internal static class Conditions
{
    private const string AllTypes = "bool datetime dynamic int long real string timespan";

    public static readonly Function[] Functions =
    [
        Iff("iff"),
        Iff("iif"),
        new("case") { BindOwn = BindCase },
        new("coalesce", [.. Overload.Each(AllTypes, "T, T -> T", FirstWithValue)]) { Folds = true },
        Extreme("min_of", sign: -1),
        Extreme("max_of", sign: 1),
        NullTest("isnull", whenNull: true),
        NullTest("isnotnull", whenNull: false),
    ];

    private static Scalar? BindIff(Call call, ExpressionBinder binder) =>
        call.Arguments is [var condition, var yes, var no]
            ? BindIff(call.At, condition, binder.Bind(yes), binder.Bind(no), binder)
            : null;

    private static Scalar BindIff(int at, Expression condition, Scalar yes, Scalar no, ExpressionBinder binder)
    {
        if (yes.Type == Kql.Dynamic && no.Type != Kql.Dynamic)
            yes = Conversions.Convert(yes, Conversions.NextTo(no.Type));
        if (no.Type == Kql.Dynamic && yes.Type != Kql.Dynamic)
            no = Conversions.Convert(no, Conversions.NextTo(yes.Type));
        return binder.BindCall("iff", at, [binder.BindPredicate(condition), yes, no]);
    }

    private static Scalar BindCase(Call call, ExpressionBinder binder)
    {
        if (call.Arguments.Count < 3 || call.Arguments.Count % 2 == 0)
        {
            throw binder.Error(
                call.At,
                "case requires pairs of a condition and a value, and a default value.",
                "For example: case(x > 10, 'big', x > 1, 'small', 'none')."
            );
        }
        var result = binder.Bind(call.Arguments[^1]);
        for (var i = call.Arguments.Count - 3; i >= 0; i -= 2)
            result = BindIff(call.At, call.Arguments[i], binder.Bind(call.Arguments[i + 1]), result, binder);
        return result;
    }

    private static Function Iff(string name) =>
        new(name, [.. Overload.Each(AllTypes, "bool, T, T -> T", Choose)]) { BindOwn = BindIff };

    private static Kernel Choose(ColumnType type) =>
        (arguments, length, _) =>
        {
            var condition = arguments[0].As<bool>();
            return Pick(type, arguments[1], arguments[2], length, row => condition[row] && !condition.IsNull(row));
        };

    private static Kernel FirstWithValue(ColumnType type) =>
        (arguments, length, _) =>
        {
            var first = arguments[0];
            return type == Kql.String
                ? Pick(type, first, arguments[1], length, row => first.As<string>()[row].Length > 0)
                : Pick(type, first, arguments[1], length, row => !first.IsNull(row));
        };

    // Values take precedence over null.
    private static Function Extreme(string name, int sign)
    {
        return new(name, [.. Overload.Each("datetime int long real timespan", "T, T -> T", Best)]) { Folds = true };

        Kernel Best(ColumnType type) =>
            (arguments, length, _) =>
            {
                var a = arguments[0];
                var b = arguments[1];
                var order = new RowOrder(Columns.Concat(type, [a, b]), ascending: true, nullsFirst: sign > 0);
                return Pick(type, a, b, length, row => order.Compare(row, length + row) * sign >= 0);
            };
    }

    private static Column Pick(ColumnType type, Column first, Column second, int length, Func<int, bool> isFirst)
    {
        var rows = new int[length];
        for (var row = 0; row < length; row++)
            rows[row] = isFirst(row) ? row : length + row;
        return Columns.Concat(type, [first, second]).Take(rows);
    }

    private static Function NullTest(string name, bool whenNull)
    {
        return new(name, [.. Overload.Each(AllTypes, "T -> bool", Test)]);

        Kernel Test(ColumnType type) =>
            (arguments, length, context) =>
            {
                var found = new ColumnMaker<bool>(type, length, context);
                for (var row = 0; row < length; row++)
                    found.Set(row, arguments[0].IsNull(row) == whenNull);
                return found.Column;
            };
    }
}
