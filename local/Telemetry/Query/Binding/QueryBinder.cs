using System.Runtime.CompilerServices;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal sealed class QueryBinder(Scope scope)
{
    private const long MaxTake = int.MaxValue;

    public Scope Scope => scope;

    public QueryText Text => scope.Text;

    public static Plan Bind(
        Script script,
        TelemetrySnapshot snapshot,
        IReadOnlyDictionary<string, ConstantScalar> overrides,
        QueryContext context
    )
    {
        var scope = new Scope(script.Text, snapshot, context);
        var binder = new QueryBinder(scope);
        foreach (var let in script.Lets)
        {
            if (overrides.TryGetValue(let.Name, out var value))
                scope.Let(let.Name, value);
            else if (binder.BindAsTable([let.Value]) is { } query)
                scope.Let(let.Name, query);
            else
                scope.Let(let.Name, binder.Expressions([]).Bind(let.Value));
        }
        return binder.BindRendered(script.Query);
    }

    public Plan Bind(Pipeline pipeline) => WithoutRender(BindRendered(pipeline));

    private Plan BindRendered(Pipeline pipeline)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        return pipeline.Steps.Aggregate(pipeline.Source(this), (plan, step) => step(WithoutRender(plan), this));
    }

    private Plan WithoutRender(Plan plan) =>
        plan is RenderPlan render
            ? throw Error(render.At, "render must be the last step of a query.", "Move it to the end.")
            : plan;

    public ExpressionBinder Expressions(IReadOnlyList<ColumnSchema> columns) => new(scope, columns, this);

    /// <summary>Binds a single item as a query; <c>null</c> if it's a value.</summary>
    public Plan? BindAsTable(IReadOnlyList<Expression> items) =>
        items switch
        {
            [Tabular tabular] => Bind(tabular.Pipeline),
            [Name name] => scope.FindTable(name.Text),
            _ => null,
        };

    public Plan BindTable(Expression table) =>
        table is Name name
            ? FindTable(name.At, name.Text)
            : BindAsTable([table])
                ?? throw Error(
                    table.At,
                    "a table was expected here.",
                    "Write a table's name, or a query in parentheses."
                );

    public Plan FindTable(int at, string name) =>
        scope.FindTable(name)
        ?? throw Error(
            at,
            $"there is no table '{name}'.",
            Similar.Hint(name, scope.TableNames) ?? $"Tables: {string.Join(", ", scope.TableNames)}."
        );

    public long BindRowCount(Expression count) =>
        Expressions([]).BindConstant(count, "the number of rows") is long and >= 0 and <= MaxTake and var rows
            ? rows
            : throw Error(count.At, "the number of rows must be an integer of at least 0.", "For example: take 10.");

    public KqlException Error(int at, string reason, string? hint = null) => scope.Text.Error(at, reason, hint);

    public KqlException UnknownColumn(int at, string name, Plan source)
    {
        var names = source.Columns.Select(column => column.Name).ToList();
        return Error(
            at,
            $"there is no column '{name}'.",
            Similar.Hint(name, names) ?? $"Available: {string.Join(", ", names)}."
        );
    }
}
