using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>What a caller may say about one run of a query.</summary>
public sealed record QueryOptions
{
    public QueryLimits Limits { get; init; } = QueryLimits.Default;

    /// <summary>Values (bool, int, long, double, string, <see cref="DateTimeOffset"/>, <see cref="TimeSpan"/>) that take the place of those
    /// that <c>let</c> statements of the same name give: the start and end of a stage, without touching the file.</summary>
    public IReadOnlyDictionary<string, object> Let { get; init; } = new Dictionary<string, object>();
}

/// <summary>A query in the subset of the Kusto query language that docs/reference/query-language.md lists.</summary>
public sealed class KqlQuery
{
    private readonly Script _script;
    private readonly bool _allowPartial;

    private KqlQuery(Script script, bool allowPartial)
    {
        _script = script;
        _allowPartial = allowPartial;
    }

    /// <summary>The question that the first line of a query file asks: the text of its first comment.</summary>
    public string? Question =>
        _script.Text.Text.Split('\n')[0].Trim() is ['/', '/', .. var question] ? question.Trim() : null;

    /// <summary>Names of let statements that count from now, as <c>let start = ago(1h);</c>: over an old run they find nothing.</summary>
    public IEnumerable<string> RelativeLets =>
        _script.Lets.Where(let => CountsFromNow(let.Value)).Select(let => let.Name);

    /// <param name="allowPartial">As Azure does: a result with more rows than its limit is cut and says so
    /// (<see cref="QueryResult.Partial"/>). Otherwise it is an error.</param>
    /// <exception cref="KqlException">The text is not a query.</exception>
    public static KqlQuery Parse(string text, bool allowPartial = false) => new(Parser.Parse(new(text)), allowPartial);

    /// <summary>Answers the query from a snapshot.</summary>
    /// <exception cref="KqlException">A name or type does not fit, or a limit is reached.</exception>
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
                $"the regular expression '{exception.Pattern}' took too long on one text.",
                "Make it simpler."
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

    private static bool CountsFromNow(Expression value)
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
            _ => throw new ArgumentException(
                $"A value of type {value.GetType().Name} cannot stand for a let statement."
            ),
        };
}
