using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Evaluates <c>in</c> with a set of constants or of a nested query, and <c>has_any</c> with a nested query.
/// No set contains null.</summary>
internal static class InSet
{
    public static CallScalar? OfValues(Scalar left, IReadOnlyList<Scalar> items, bool ignoreCase)
    {
        if (left.Type is ColumnType.Bool or ColumnType.Dynamic)
            return null;
        var values = items.OfType<ConstantScalar>().Where(item => Kind(item.Type) == Kind(left.Type)).ToList();
        if (values.Count < items.Count)
            return null;
        var column = Columns.Concat(
            left.Type,
            values.ConvertAll(value => Columns.Constant(left.Type, value.Value, length: 1))
        );
        return OfQuery(left, new ValuesPlan([new("", left.Type)], [Batch.Of(column)]), ignoreCase);
    }

    public static CallScalar OfQuery(Scalar left, Plan plan, bool ignoreCase) =>
        new(
            ColumnType.Bool,
            left.Type switch
            {
                ColumnType.String => Lookup<string>(
                    plan,
                    ignoreCase ? StringComparer.OrdinalIgnoreCase : StringComparer.Ordinal
                ),
                ColumnType.Real => Lookup(plan, EqualityComparer<double>.Default),
                ColumnType.Bool => Lookup(plan, EqualityComparer<bool>.Default),
                _ => Lookup(plan, EqualityComparer<long>.Default),
            },
            [left]
        );

    public static CallScalar AnyTerm(Scalar left, Plan plan)
    {
        var key = new object();
        var kernel = Kernels.With(context =>
        {
            var terms = context.Once(key, () => SetOf<string>(plan, StringComparer.OrdinalIgnoreCase, context));
            return Kernels.Of((string text) => HasAny(text, terms, context));
        });
        return new(ColumnType.Bool, kernel(ColumnType.Bool), [left]);
    }

    private static bool HasAny(string text, HashSet<string> terms, QueryContext context)
    {
        context.Check(); // Each row is searched once per term.
        return terms.Any(term => ComparisonTable.Has(text, term, StringComparison.OrdinalIgnoreCase));
    }

    private static ColumnType Kind(ColumnType type) => type == ColumnType.Int ? ColumnType.Long : type;

    private static Kernel Lookup<T>(Plan plan, IEqualityComparer<T> comparer)
    {
        var key = new object();
        return (arguments, length, context) =>
        {
            var set = context.Once(key, () => SetOf(plan, comparer, context));
            var values = arguments[0].As<T>();
            var result = new ColumnMaker<bool>(ColumnType.Bool, length, context);
            for (var i = 0; i < length; i++)
                result.Set(i, !values.IsNull(i) && set.Contains(values[i]));
            return result.Column;
        };
    }

    private static HashSet<T> SetOf<T>(Plan plan, IEqualityComparer<T> comparer, QueryContext context)
    {
        var set = new HashSet<T>(comparer);
        foreach (var batch in plan.Run(context))
        {
            var values = batch[0].As<T>();
            var before = set.Count;
            for (var i = 0; i < batch.Length; i++)
            {
                if (!values.IsNull(i))
                    set.Add(values[i]);
            }
            context.Hold(set.Count - before);
        }
        return set;
    }
}
