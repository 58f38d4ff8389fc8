using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

public sealed record QueryOptions
{
    public QueryLimits Limits { get; init; } = QueryLimits.Default;

    /// <summary>
    /// Values (bool, int, long, double, string, <see cref="DateTimeOffset"/>, <see cref="TimeSpan"/>) that replace those of <c>let</c>
    /// statements with the same name, for example the start and end of a stage.
    /// </summary>
    public IReadOnlyDictionary<string, object> Let { get; init; } = new Dictionary<string, object>();
}

/// <summary>A query in the subset of the Kusto query language described in docs/reference/query-language.md.</summary>
public sealed class KqlQuery
{
    private readonly Script _script;
    private readonly bool _allowPartial;

    private KqlQuery(Script script, bool allowPartial)
    {
        _script = script;
        _allowPartial = allowPartial;
    }

    /// <summary>The question in the first comment of a query file.</summary>
    public string? Question =>
        _script.Text.Text.Split('\n')[0].Trim() is ['/', '/', .. var question] ? question.Trim() : null;

    /// <summary>The names of let statements relative to now, such as <c>let start = ago(1h);</c>, which find nothing in
    /// an old run.</summary>
    public IEnumerable<string> RelativeLets =>
        _script.Lets.Where(let => IsRelativeToNow(let.Value)).Select(let => let.Name);

    /// <param name="allowPartial"><c>true</c> to truncate results beyond the row limit, like Azure (<see
    /// cref="QueryResult.Partial"/>); <c>false</c> to fail.</param>
    public static KqlQuery Parse(string text, bool allowPartial = false) => new(Parser.Parse(new(text)), allowPartial);

    /// <exception cref="KqlException">A name or type is invalid, or a limit is exceeded.</exception>
    public QueryResult Run(
        TelemetrySnapshot snapshot,
        QueryOptions? options = null,
        TimeProvider? clock = null,
        CancellationToken cancellationToken = default
    )
    {
        options ??= new();
        var context = new QueryContext(_script.Text, options.Limits, clock ?? TimeProvider.System, cancellationToken);
        try
        {
            var plan = QueryBinder.Bind(
                _script,
                snapshot,
                options.Let.ToDictionary(let => let.Key, let => Constant(let.Value)),
                context
            );
            return Collect(plan, context);
        }
        catch (InsufficientExecutionStackException)
        {
            throw _script.Text.Error(
                0,
                "the query is nested too deeply.",
                "Use fewer operators in one expression, or fewer steps."
            );
        }
        catch (System.Text.RegularExpressions.RegexMatchTimeoutException exception)
        {
            throw _script.Text.Error(
                0,
                $"the regular expression '{exception.Pattern}' took too long for one string.",
                "Simplify it."
            );
        }
    }

    private QueryResult Collect(Plan plan, QueryContext context)
    {
        var (batches, partial) = Gather(plan, context);
        var whole = Batches.Concat(batches, plan.Columns, context);
        var values = new Column[plan.Columns.Count];
        for (var i = 0; i < values.Length; i++)
        {
            context.Check();
            values[i] = whole[i];
        }
        var rendering = (plan as RenderPlan)?.Rendering;
        return new(plan.Columns, values, whole.Length, rendering, context.Elapsed, context.RowsRead)
        {
            Partial = partial,
        };
    }

    private (List<Batch> Batches, string? Partial) Gather(Plan plan, QueryContext context)
    {
        var batches = new List<Batch>();
        var rows = 0;
        foreach (var batch in plan.Run(context).Where(batch => batch.Length > 0))
        {
            batches.Add(batch);
            rows += batch.Length;
            if (context.Return(rows) is not { } error)
                continue;
            if (!_allowPartial)
                throw error;
            batches[^1] = batch.First(batch.Length - (rows - context.Limits.ResultRows));
            return (batches, $"Rows are missing: {error.Reason} {error.Hint}");
        }
        return (batches, null);
    }

    private static bool IsRelativeToNow(Expression value)
    {
        var pending = new Stack<Expression>([value]);
        while (pending.TryPop(out var expression))
        {
            if (expression is Call { Function: "ago" or "now" })
                return true;
            IReadOnlyList<Expression> parts = expression switch
            {
                Call call => call.Arguments,
                Operation operation => operation.Operands,
                _ => [],
            };
            foreach (var part in parts)
                pending.Push(part);
        }
        return false;
    }

    private static ConstantScalar Constant(object value) =>
        value switch
        {
            bool => new ConstantScalar(ColumnType.Bool, value),
            int number => new ConstantScalar(ColumnType.Long, (long)number),
            long => new ConstantScalar(ColumnType.Long, value),
            double => new ConstantScalar(ColumnType.Real, value),
            string => new ConstantScalar(ColumnType.String, value),
            DateTimeOffset time => new ConstantScalar(ColumnType.DateTime, time.UtcTicks),
            TimeSpan span => new ConstantScalar(ColumnType.TimeSpan, span.Ticks),
            _ => throw new ArgumentException($"A value of type {value.GetType().Name} cannot replace a let statement."),
        };
}
