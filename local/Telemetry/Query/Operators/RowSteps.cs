using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal static class RowSteps
{
    /// <summary><c>where PREDICATE</c></summary>
    public static Step Where(Parser parser, Token name)
    {
        var predicate = parser.ParseExpression();
        return (source, binder) =>
            new WherePlan(source, Conditions(predicate).ConvertAll(binder.Expressions(source.Columns).BindPredicate));
    }

    /// <summary><c>count</c></summary>
    public static Step Count(Parser parser, Token name) =>
        (source, binder) =>
            new SummarizePlan(
                source,
                [new("Count", ColumnType.Long)],
                [],
                [new(new(ColumnType.Long, () => new CountRows()), [])]
            );

    /// <summary><c>take COUNT</c></summary>
    public static Step Take(Parser parser, Token name)
    {
        var count = parser.ParseExpression();
        return (source, binder) => Take(source, binder.BindRowCount(count));
    }

    /// <summary><c>top COUNT by VALUE asc, …</c></summary>
    public static Step Top(Parser parser, Token name)
    {
        var count = parser.ParseExpression();
        parser.Expect("by", "after the number of rows", "For example: top 10 by duration.");
        var keys = parser.ListOf(() => SortKey.Parse(parser));
        return (source, binder) => new SortPlan(source, SortKey.Bind(keys, source, binder), binder.BindRowCount(count));
    }

    /// <summary><c>order by VALUE asc nulls last, …</c></summary>
    public static Step Order(Parser parser, Token name)
    {
        parser.Expect("by", $"after '{name.Text}'");
        var keys = parser.ListOf(() => SortKey.Parse(parser));
        return (source, binder) => new SortPlan(source, SortKey.Bind(keys, source, binder), limit: null);
    }

    /// <summary><c>summarize NAME = AGGREGATE, … by NAME = VALUE, …</c></summary>
    public static Step Summarize(Parser parser, Token name)
    {
        List<Named> aggregates = parser.Current.Is("by") ? [] : parser.ParseColumns();
        List<Named> keys = parser.Accept("by") ? parser.ParseColumns() : [];
        return (source, binder) => new SummarizeBinder(source, binder).Summarize(aggregates, keys);
    }

    /// <summary><c>distinct NAME = VALUE, …</c>, <c>distinct *</c></summary>
    public static Step Distinct(Parser parser, Token name)
    {
        var columns = parser.ParseColumns();
        return (source, binder) => Distinct(source, columns, binder);
    }

    // In a loop, because there can be any number of conditions.
    private static List<Expression> Conditions(Expression predicate)
    {
        var conditions = new List<Expression>();
        while (predicate is Operation { Function.Name: "and", Operands: [var left, var right] })
        {
            conditions.Add(right);
            predicate = left;
        }
        conditions.Add(predicate);
        conditions.Reverse();
        return conditions;
    }

    private static Plan Take(Plan source, long count) =>
        source is SortPlan { Limit: null } sorted
            ? new SortPlan(sorted.Source, sorted.Keys, count)
            : new TakePlan(source, count);

    private static SummarizePlan Distinct(Plan source, List<Named> columns, QueryBinder binder)
    {
        var keys = columns is [{ Value: Star }]
            ? new ProjectPlan(source, source.Columns, ColumnScalar.AllOf(source))
            : ColumnSteps.Project(source, columns, binder);
        for (var i = 0; i < keys.Columns.Count; i++)
        {
            if (keys.Columns[i].Type == ColumnType.Dynamic)
            {
                throw binder.Error(
                    columns[Math.Min(i, columns.Count - 1)].At,
                    $"'{keys.Columns[i].Name}' is dynamic and cannot be compared.",
                    "Write tostring(…) around it, or leave it out."
                );
            }
        }
        return new(keys, keys.Columns, ColumnScalar.AllOf(keys), []);
    }

    private sealed record SortKey(Expression Value, bool Ascending, bool NullsFirst)
    {
        public static SortKey Parse(Parser parser)
        {
            var value = parser.ParseExpression();
            var ascending = parser.Accept("asc");
            if (!ascending)
                parser.Accept("desc");
            if (!parser.Accept("nulls"))
                return new(value, ascending, NullsFirst: ascending);
            if (parser.Accept("first"))
                return new(value, ascending, NullsFirst: true);
            parser.Expect("last", "after 'nulls'");
            return new(value, ascending, NullsFirst: false);
        }

        public static List<SortBy> Bind(List<SortKey> keys, Plan source, QueryBinder binder) =>
            keys.ConvertAll(key => key.Bind(source, binder));

        private SortBy Bind(Plan source, QueryBinder binder)
        {
            var value = binder.Expressions(source.Columns).Bind(Value);
            return value.Type == ColumnType.Dynamic
                ? throw binder.Error(
                    Value.At,
                    "dynamic values cannot be ordered.",
                    "Write tostring(…) or todouble(…) around it."
                )
                : new(value, Ascending, NullsFirst);
        }
    }
}
