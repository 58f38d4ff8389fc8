using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>in</c> by looking up a set, whether its values stand in the query or come from a nested one; <c>has_any</c> of a nested
/// query. Null is in no set.</summary>
internal static class InSet
{
    /// <summary>Null when the items are not constants of the type that is looked for.</summary>
    public static CallScalar? OfValues(Scalar left, IReadOnlyList<Scalar> items, bool ignoreCase)
    {
        if (!items.All(item => item is ConstantScalar && Kin(item.Type) == Kin(left.Type)))
            return null;
        var values = items.Select(item => ((ConstantScalar)item).Value).Where(value => value is not null);
        Kernel? kernel = Kin(left.Type) switch
        {
            ColumnType.String => Lookup(_ => values.Cast<string>().ToHashSet(Comparer(ignoreCase))),
            ColumnType.Long or ColumnType.DateTime or ColumnType.TimeSpan => Lookup(_ =>
                values.Cast<long>().ToHashSet()
            ),
            ColumnType.Real => Lookup(_ => values.Cast<double>().ToHashSet()),
            _ => null,
        };
        return kernel is null ? null : new(ColumnType.Bool, kernel, [left]);
    }

    public static CallScalar OfQuery(Scalar left, Plan plan, bool ignoreCase) =>
        new(
            ColumnType.Bool,
            Kin(left.Type) switch
            {
                ColumnType.String => Lookup(context => Run(plan, context, Comparer(ignoreCase))),
                ColumnType.Real => Lookup(context => Run(plan, context, EqualityComparer<double>.Default)),
                ColumnType.Bool => Lookup(context => Run(plan, context, EqualityComparer<bool>.Default)),
                _ => Lookup(context => Run(plan, context, EqualityComparer<long>.Default)),
            },
            [left]
        );

    /// <summary>Whether one of the query's texts stands in the text as a whole term.</summary>
    public static CallScalar AnyTerm(Scalar left, Plan plan)
    {
        var key = new object();
        return new(
            ColumnType.Bool,
            (arguments, length, context) =>
            {
                var terms = context.Once(key, () => Run<string>(plan, context, Comparer(ignoreCase: true)));
                var texts = arguments[0].As<string>();
                var result = new Maker<bool>(ColumnType.Bool, length, context);
                for (var i = 0; i < length; i++)
                {
                    context.Check(); // a row is looked through as often as there are terms
                    result.Set(i, HasAny(texts[i], terms));
                }
                return result.Column;
            },
            [left]
        );
    }

    private static bool HasAny(string text, HashSet<string> terms) =>
        terms.Any(term => ComparisonTable.Has(text, term, StringComparison.OrdinalIgnoreCase));

    private static ColumnType Kin(ColumnType type) => type == ColumnType.Int ? ColumnType.Long : type;

    private static StringComparer Comparer(bool ignoreCase) =>
        ignoreCase ? StringComparer.OrdinalIgnoreCase : StringComparer.Ordinal;

    private static Kernel Lookup<T>(Func<QueryContext, HashSet<T>> make)
    {
        var key = new object();
        return (arguments, length, context) =>
        {
            var set = context.Once(key, () => make(context));
            var values = arguments[0].As<T>();
            var result = new Maker<bool>(ColumnType.Bool, length, context);
            for (var i = 0; i < length; i++)
                result.Set(i, !values.IsNull(i) && set.Contains(values[i]));
            return result.Column;
        };
    }

    private static HashSet<T> Run<T>(Plan plan, QueryContext context, IEqualityComparer<T> comparer)
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
