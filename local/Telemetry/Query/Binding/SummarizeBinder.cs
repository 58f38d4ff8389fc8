using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Binds summarize: aggregates become columns of a <see cref="SummarizePlan"/>; expressions over them, such as
/// ratios, become a projection.</summary>
internal sealed class SummarizeBinder(Plan source, QueryBinder queries)
    : ExpressionBinder(queries.Scope, source.Columns, queries)
{
    private readonly List<Scalar> _keys = [];
    private readonly List<AggregateUse> _uses = [];
    private readonly ColumnNames _names = new(queries.Text);
    private readonly List<Scalar> _results = [];
    private bool _insideAggregate = true;

    public ProjectPlan Summarize(List<Named> aggregates, List<Named> keys)
    {
        foreach (var key in keys)
            AddKey(key);
        foreach (var aggregate in aggregates)
            AddAggregate(aggregate);
        var aggregated = new SummarizePlan(source, AggregatedColumns(), _keys, _uses);
        return new(aggregated, _names.Columns, _results);
    }

    private void AddKey(Named key)
    {
        var value = Bind(key.Value);
        if (value.Type == ColumnType.Dynamic)
            throw Error(key.Value.At, "rows cannot be grouped by a dynamic value.", "Write tostring(…) around it.");
        _results.Add(new ColumnScalar(value.Type, _keys.Count));
        _keys.Add(value);
        _names.Add(key, value.Type);
    }

    private void AddAggregate(Named aggregate)
    {
        if (aggregate.Value is Call call && AggregateTable.Find(call.Function) is ColumnsAggregate function)
            AddColumns(aggregate, function.Bind(call, this));
        else
            AddExpression(aggregate);
    }

    private void AddColumns(Named aggregate, AggregateColumns columns)
    {
        var types = columns.Shape.Results;
        var first = Use(columns.Shape, columns.Arguments).Index;
        for (var i = 0; i < types.Count; i++)
        {
            _results.Add(new ColumnScalar(types[i], first + i));
            if (i == 0 && aggregate.Name is { } given)
                _names.AddNamed(given, types[i], aggregate.At);
            else
                _names.AddDerived(columns.Names[i], types[i]);
        }
    }

    private void AddExpression(Named aggregate)
    {
        var before = _uses.Count;
        _insideAggregate = false;
        var value = Bind(aggregate.Value);
        _insideAggregate = true;
        if (_uses.Count == before)
        {
            throw Error(
                aggregate.Value.At,
                "summarize needs an aggregate here.",
                "For example: count(), or take_any(…) for the value of any row."
            );
        }
        _results.Add(value);
        _names.Add(aggregate, value.Type);
    }

    protected override Scalar BindName(Name name)
    {
        if (!_insideAggregate && Columns.Any(column => column.Name == name.Text))
        {
            throw Error(
                name.At,
                $"'{name.Text}' must be inside an aggregate.",
                $"For example: take_any({name.Text}), or add it after 'by'."
            );
        }
        return base.BindName(name);
    }

    protected override Scalar BindCall(Call call)
    {
        if (AggregateTable.Find(call.Function) is not { } function)
            return base.BindCall(call);
        if (_insideAggregate)
        {
            throw Error(
                call.At,
                $"the aggregate '{call.Function}' cannot be nested or used after 'by'.",
                "Summarize twice."
            );
        }

        return function switch
        {
            ValueAggregate value => BindAggregate(call, value),
            ColumnsAggregate { IsValue: true } columns => Use(InsideAggregate(() => columns.Bind(call, this))),
            _ => throw Error(
                call.At,
                $"'{call.Function}' returns several columns and cannot be part of an expression.",
                "Summarize first, then extend."
            ),
        };
    }

    public bool HasResult(string name) => _names.Columns.Any(column => column.Name == name);

    private ColumnScalar BindAggregate(Call call, ValueAggregate function)
    {
        var arguments = InsideAggregate(() => call.Arguments.Select(Bind).ToArray());
        if (arguments.Length != function.Arguments)
        {
            throw Error(
                call.At,
                $"'{function.Name}' takes {function.Arguments} argument{(function.Arguments == 1 ? "" : "s")}, not {arguments.Length}.",
                function.Arguments == 0 ? "Write count(), or countif(condition)."
                    : arguments.Length > function.Arguments
                    && function.Name.StartsWith("make_", StringComparison.Ordinal)
                        ? "A maximum size is not supported."
                    : null
            );
        }
        var types = Array.ConvertAll(arguments, argument => argument.Type);
        var shape = function.ShapeFor(types)
            ?? throw Error(
                call.At,
                $"'{function.Name}' cannot be applied to {string.Join(" and ", types.Select(type => type.KqlName()))}.",
                types.Contains(ColumnType.Dynamic) ? "Write tostring(…) or todouble(…) around it."
                    : function.Arguments == 2 ? "The last argument is a condition."
                    : "Convert it first: todouble(…)."
            );
        return Use(shape, arguments);
    }

    private T InsideAggregate<T>(Func<T> bind)
    {
        _insideAggregate = true;
        var bound = bind();
        _insideAggregate = false;
        return bound;
    }

    private ColumnScalar Use(AggregateColumns columns) => Use(columns.Shape, columns.Arguments);

    private ColumnScalar Use(AggregateShape shape, params Scalar[] arguments)
    {
        var column = _keys.Count + _uses.Sum(use => use.Shape.Results.Count);
        _uses.Add(new(shape, arguments));
        return new(shape.Results[0], column);
    }

    // The names are internal and not visible.
    private List<ColumnSchema> AggregatedColumns() =>
        [
            .. _keys
                .Select(key => key.Type)
                .Concat(_uses.SelectMany(use => use.Shape.Results))
                .Select((type, i) => new ColumnSchema($"${i}", type)),
        ];
}
