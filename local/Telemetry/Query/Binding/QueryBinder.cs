using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Turns the steps of a query into a plan.</summary>
internal sealed class QueryBinder(Scope scope)
{
    private const long MaxTake = int.MaxValue;

    /// <summary>Binds the let statements and then the query.</summary>
    /// <param name="overrides">Values that replace those of let statements with the same name.</param>
    public static Plan Bind(
        Script script, TelemetrySnapshot snapshot, IReadOnlyDictionary<string, ConstantScalar> overrides, QueryContext context)
    {
        var scope = new Scope(script.Text, snapshot, context);
        var binder = new QueryBinder(scope);
        foreach (var let in script.Lets)
        {
            if (overrides.TryGetValue(let.Name, out var value)) scope.Let(let.Name, value);
            else if (binder.BindAsTable([let.Value]) is { } query) scope.Let(let.Name, query);
            else scope.Let(let.Name, binder.Expressions([]).Bind(let.Value));
        }
        return binder.Bind(script.Query);
    }

    public Plan Bind(Pipeline pipeline)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        var plan = Bind(pipeline.Source);
        foreach (var step in pipeline.Operators) plan = Bind(step, plan);
        return plan;
    }

    /// <summary>The query that a single item stands for; null when it is a value.</summary>
    public Plan? BindAsTable(IReadOnlyList<Expression> items) => items switch
    {
        [Tabular tabular] => Bind(tabular.Pipeline),
        [Name name] => scope.FindTable(name.Text),
        _ => null,
    };

    /// <summary><c>toscalar(…)</c></summary>
    public Scalar BindScalar(Call call)
    {
        if (BindAsTable(call.Arguments) is not { } plan)
            throw scope.Text.Error(
                call.At, "toscalar takes a query.", "For example: toscalar(requests | summarize max(timestamp)).");
        return new QueryScalar(plan.Columns[0].Type, plan);
    }

    private ExpressionBinder Expressions(IReadOnlyList<ColumnSchema> columns) => new(scope, columns, this);

    private Plan Bind(Source source) => source switch
    {
        NamedSource named => scope.FindTable(named.Name) ?? throw UnknownTable(named.At, named.Name),
        NestedSource nested => Bind(nested.Pipeline),
        PrintSource print => BindPrint(print),
        UnionSource union => BindUnion(union.Union, null),
        _ => throw new InvalidOperationException($"{source.GetType()} cannot be bound."),
    };

    private Plan Bind(Operator step, Plan source) => step switch
    {
        WhereOperator where => BindWhere(where.Predicate, source),
        ExtendOperator extend => BindExtend(extend, source),
        ProjectOperator project => BindProject(project.Columns, source),
        SelectColumnsOperator select => BindSelect(select, source),
        RenameOperator rename => BindRename(rename, source),
        SummarizeOperator summarize => new SummarizeBinder(scope, source, this).Bind(summarize),
        DistinctOperator distinct => BindDistinct(distinct, source),
        CountOperator =>
            new SummarizePlan(source, [new("Count", ColumnType.Long)], [], [new(AggregateTable.Find("count")!.ShapeFor([])!, [])]),
        TakeOperator take when source is SortPlan { Limit: null } sorted => new SortPlan(sorted.Source, sorted.Keys, Count(take.Count)),
        TakeOperator take => new TakePlan(source, Count(take.Count)),
        SortOperator sort => new SortPlan(source, BindKeys(sort.Keys, source), null),
        TopOperator top => new SortPlan(source, BindKeys(top.Keys, source), Count(top.Count)),
        JoinOperator join => new JoinBinder(scope, this).Bind(join, source),
        UnionOperator union => BindUnion(union, source),
        RenderOperator render =>
            throw scope.Text.Error(render.At, "render stands at the end of a query only.", "Put it behind the last step."),
        _ => throw new InvalidOperationException($"{step.GetType()} cannot be bound."),
    };

    // The sides of an "and" filter one after the other: the later ones look at fewer rows.
    private Plan BindWhere(Expression predicate, Plan source) => predicate is Binary { Operator: "and" } both
        ? BindWhere(both.Right, BindWhere(both.Left, source))
        : new WherePlan(source, Expressions(source.Columns).BindPredicate(predicate));

    private PrintPlan BindPrint(PrintSource print)
    {
        var names = new ColumnNames(scope.Text);
        var values = new List<Scalar>();
        foreach (var column in print.Columns)
        {
            var value = Expressions([]).Bind(column.Value);
            if (column.Name is not null) names.Add(column, value.Type);
            else names.AddDerived($"print_{values.Count}", value.Type);
            values.Add(value);
        }
        return new(names.Columns, values);
    }

    private ProjectPlan BindProject(IReadOnlyList<Named> columns, Plan source)
    {
        var names = new ColumnNames(scope.Text);
        var values = columns.Select(column => Expressions(source.Columns).Bind(column.Value)).ToList();
        for (var i = 0; i < values.Count; i++) names.Add(columns[i], values[i].Type);
        return new(source, names.Columns, values);
    }

    private ProjectPlan BindExtend(ExtendOperator extend, Plan source)
    {
        var columns = source.Columns.ToList();
        var values = All(source);
        var names = new ColumnNames(scope.Text);
        foreach (var column in source.Columns) names.AddDerived(column.Name, column.Type);
        foreach (var column in extend.Columns)
        {
            var value = Expressions(source.Columns).Bind(column.Value);
            var existing = column.Name is null ? -1 : columns.FindIndex(each => each.Name == column.Name);
            if (existing >= 0)
            {
                (columns[existing], values[existing]) = (new(column.Name!, value.Type), value);
                continue;
            }
            names.Add(column, value.Type);
            columns.Add(names.Columns[^1]);
            values.Add(value);
        }
        return new(source, columns, values);
    }

    private ProjectPlan BindSelect(SelectColumnsOperator select, Plan source)
    {
        foreach (var (at, pattern) in select.Patterns)
            if (!source.Columns.Any(column => Matches(pattern, column.Name))) throw UnknownColumn(at, pattern, source);
        var kept = Enumerable.Range(0, source.Columns.Count)
            .Where(i => select.Patterns.Any(pattern => Matches(pattern.Text, source.Columns[i].Name)) == select.Keep).ToList();
        return new(source, [.. kept.Select(i => source.Columns[i])], [.. kept.Select(i => All(source)[i])]);
    }

    private static bool Matches(string pattern, string name) =>
        Regex.IsMatch(name, "^" + Regex.Escape(pattern).Replace("\\*", ".*", StringComparison.Ordinal) + "$", RegexOptions.NonBacktracking);

    private ProjectPlan BindRename(RenameOperator rename, Plan source)
    {
        var columns = source.Columns.ToList();
        foreach (var column in rename.Columns)
        {
            if (column is not { Name: { } name, Value: Name old })
                throw scope.Text.Error(column.At, "project-rename takes new = old.", "Both are names of columns.");
            var index = columns.FindIndex(each => each.Name == old.Text);
            if (index < 0) throw UnknownColumn(old.At, old.Text, source);
            if (columns.Exists(each => each.Name == name))
                throw scope.Text.Error(column.At, $"there already is a column '{name}'.", "Use another name.");
            columns[index] = columns[index] with { Name = name };
        }
        return new(source, columns, All(source));
    }

    private SummarizePlan BindDistinct(DistinctOperator distinct, Plan source)
    {
        var keys = distinct.Columns is [{ Value: Star }]
            ? new ProjectPlan(source, source.Columns, All(source))
            : BindProject(distinct.Columns, source);
        for (var i = 0; i < keys.Columns.Count; i++)
            if (keys.Columns[i].Type == ColumnType.Dynamic)
                throw scope.Text.Error(
                    distinct.Columns[Math.Min(i, distinct.Columns.Count - 1)].At,
                    $"'{keys.Columns[i].Name}' is dynamic and cannot be compared.",
                    "Write tostring(…) around it, or leave it out.");
        return new(keys, keys.Columns, All(keys), []);
    }

    private List<SortBy> BindKeys(IReadOnlyList<SortKey> keys, Plan source) => [.. keys.Select(key =>
    {
        var value = Expressions(source.Columns).Bind(key.Value);
        return value.Type == ColumnType.Dynamic
            ? throw scope.Text.Error(key.Value.At, "a dynamic value has no order.", "Write tostring(…) or todouble(…) around it.")
            : new SortBy(value, key.Ascending, key.NullsFirst);
    })];

    private long Count(Expression count) =>
        Expressions([]).BindConstant(count, "the number of rows") is long and >= 0 and <= MaxTake and var rows
            ? rows
            : throw scope.Text.Error(count.At, "the number of rows must be a whole number from 0.", "For example: take 10.");

    private UnionPlan BindUnion(UnionOperator union, Plan? first)
    {
        List<(Plan Plan, string Name)> sources = first is null ? [] : [(first, "union_arg0")];
        foreach (var table in union.Tables)
            sources.Add((BindTable(table), table is Name name ? name.Text : $"union_arg{sources.Count}"));
        List<ColumnSchema> columns = union.SourceColumn is { } source ? [new(source, ColumnType.String)] : [];
        var names = union.Inner
            ? sources[0].Plan.Columns.Where(column => sources.All(each => each.Plan.Columns.Any(other => other.Name == column.Name)))
            : sources.SelectMany(each => each.Plan.Columns).DistinctBy(column => column.Name);
        columns.AddRange(names);
        return new(
            [.. sources.Select(each => each.Plan)],
            [.. sources.Select(each => Map(each.Plan, each.Name, columns, union.At))],
            columns,
            union.SourceColumn is null ? null : [.. sources.Select(each => each.Name)]);
    }

    private int[] Map(Plan plan, string name, List<ColumnSchema> columns, int at) => [.. columns.Select(column =>
    {
        for (var i = 0; i < plan.Columns.Count; i++)
        {
            if (plan.Columns[i].Name != column.Name) continue;
            if (plan.Columns[i].Type == column.Type) return i;
            throw scope.Text.Error(
                at,
                $"'{column.Name}' is {column.Type.KqlName()} in one table and {plan.Columns[i].Type.KqlName()} in {name}.",
                "Convert or rename one of them before the union.");
        }
        return -1;
    })];

    /// <summary>A table where only a table may stand.</summary>
    public Plan BindTable(Expression table) => BindAsTable([table]) ?? throw (table is Name name
        ? UnknownTable(name.At, name.Text)
        : scope.Text.Error(table.At, "a table was expected here.", "Write a table's name, or a query in parentheses."));

    private static List<Scalar> All(Plan source) => [.. source.Columns.Select((column, i) => new ColumnScalar(column.Type, i))];

    private KqlException UnknownTable(int at, string name) => scope.Text.Error(at, $"there is no table '{name}'.",
        Similar.Hint(name, scope.TableNames) ?? $"Tables are {string.Join(", ", scope.TableNames)}.");

    private KqlException UnknownColumn(int at, string name, Plan source)
    {
        var names = source.Columns.Select(column => column.Name).ToList();
        return scope.Text.Error(
            at, $"there is no column '{name}'.", Similar.Hint(name, names) ?? $"There are {string.Join(", ", names)}.");
    }
}
