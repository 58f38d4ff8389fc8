using System.Globalization;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>
/// summarize: every aggregate of the query becomes a column of a <see cref="SummarizePlan"/>, and what the query does with them (divide two
/// counts, round an average) is a projection over it.
/// </summary>
internal sealed class SummarizeBinder(Scope scope, Plan source, QueryBinder queries) : ExpressionBinder(scope, source.Columns, queries)
{
    private readonly List<Scalar> _keys = [];
    private readonly List<AggregateUse> _uses = [];
    private readonly ColumnNames _names = new(scope.Text);
    private readonly List<Scalar> _results = [];
    private bool _insideAggregate = true;

    public Plan Bind(SummarizeOperator summarize)
    {
        foreach (var key in summarize.By) AddKey(key);
        foreach (var aggregate in summarize.Aggregates) AddAggregate(aggregate);
        var aggregated = new SummarizePlan(source, AggregatedColumns(), _keys, _uses);
        return new ProjectPlan(aggregated, _names.Columns, _results);
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
        switch (aggregate.Value)
        {
            case Call { Function: "percentile" or "percentiles" or "percentilew" or "percentilesw" } call:
                AddPercentiles(aggregate, call);
                break;
            case Call { Function: "arg_max" or "arg_min" } call: AddChosenRow(aggregate, call, call.Function == "arg_max" ? 1 : -1); break;
            case Call { Function: "take_any" } call: AddChosenRow(aggregate, call, 0); break;
            default: AddExpression(aggregate); break;
        }
    }

    private void AddExpression(Named aggregate)
    {
        var before = _uses.Count;
        _insideAggregate = false;
        var value = Bind(aggregate.Value);
        _insideAggregate = true;
        if (_uses.Count == before)
            throw Error(
                aggregate.Value.At,
                "summarize needs an aggregate here.",
                "For example count(), or take_any(…) for the value of any row.");
        _results.Add(value);
        _names.Add(aggregate, value.Type);
    }

    protected override Scalar BindName(Name name)
    {
        if (!_insideAggregate && Columns.Any(column => column.Name == name.Text))
            throw Error(
                name.At,
                $"'{name.Text}' must stand inside an aggregate.",
                $"For example take_any({name.Text}), or add it behind 'by'.");
        return base.BindName(name);
    }

    protected override Scalar BindCall(Call call)
    {
        if (!IsAggregate(call.Function)) return base.BindCall(call);
        if (_insideAggregate)
            throw Error(call.At, $"the aggregate '{call.Function}' cannot stand inside another or behind 'by'.", "Summarize twice.");
        if (call.Function is "percentile" or "percentilew") return Use(PercentileShape(call, out var arguments), arguments);
        return AggregateTable.Find(call.Function) is { } function
            ? BindAggregate(call, function)
            : throw Error(
                call.At,
                $"'{call.Function}' gives several columns and cannot be part of an expression.",
                "Summarize first, then extend.");
    }

    private static bool IsAggregate(string name) =>
        AggregateTable.Find(name) is not null || Array.IndexOf(AggregateTable.WithOwnShape, name) >= 0;

    private ColumnScalar BindAggregate(Call call, AggregateFunction function)
    {
        var arguments = BindArguments(call.Arguments);
        if (arguments.Length != function.Arguments)
            throw Error(
                call.At,
                $"'{function.Name}' takes {function.Arguments} argument{(function.Arguments == 1 ? "" : "s")}, not {arguments.Length}.",
                function.Arguments == 0 ? "Write count(), or countif(condition)."
                : arguments.Length > function.Arguments && function.Name.StartsWith("make_", StringComparison.Ordinal)
                    ? "A size is not supported: all values are listed."
                : null);
        var types = Array.ConvertAll(arguments, argument => argument.Type);
        var shape = function.ShapeFor(types)
            ?? throw Error(
                call.At,
                $"'{function.Name}' cannot be applied to {string.Join(" and ", types.Select(type => type.KqlName()))}.",
                types.Contains(ColumnType.Dynamic) ? "Write tostring(…) or todouble(…) around it."
                : function.Arguments == 2 ? "The last argument is a condition."
                : "Convert it first: todouble(…).");
        return Use(shape, arguments);
    }

    private Scalar[] BindArguments(IEnumerable<Expression> arguments)
    {
        _insideAggregate = true;
        var bound = arguments.Select(Bind).ToArray();
        _insideAggregate = false;
        return bound;
    }

    /// <returns>The first column that the aggregate gives.</returns>
    private ColumnScalar Use(AggregateShape shape, params Scalar[] arguments)
    {
        var column = _keys.Count + _uses.Sum(use => use.Shape.Results.Count);
        _uses.Add(new(shape, arguments));
        return new(shape.Results[0], column);
    }

    private void AddPercentiles(Named aggregate, Call call)
    {
        var shape = PercentileShape(call, out var arguments);
        var first = Use(shape, arguments).Index;
        for (var i = 0; i < shape.Results.Count; i++)
        {
            _results.Add(new ColumnScalar(shape.Results[i], first + i));
            var name = $"percentile_{ColumnNames.Of(call.Arguments[0])}_{PercentName(call.Arguments[i + arguments.Length])}";
            if (aggregate.Name is { } given && i == 0) _names.AddGiven(given, shape.Results[i], aggregate.At);
            else _names.AddDerived(name, shape.Results[i]);
        }
    }

    // 99.9 is percentile_x_99_9.
    private string PercentName(Expression percent) =>
        Convert.ToString(BindConstant(percent, "a percentile"), CultureInfo.InvariantCulture)!.Replace('.', '_');

    /// <param name="arguments">The value, and its weight where the function takes one.</param>
    private AggregateShape PercentileShape(Call call, out Scalar[] arguments)
    {
        var (isWeighted, takesOne) = (call.Function is "percentilew" or "percentilesw", call.Function is "percentile" or "percentilew");
        var before = isWeighted ? 2 : 1;
        if (call.Arguments.Count <= before)
            throw Error(
                call.At,
                $"'{call.Function}' takes a value{(isWeighted ? ", its weight" : "")} and {(takesOne ? "a percentile" : "percentiles")}.",
                $"For example: {(isWeighted ? "percentilesw(duration, itemCount, 50, 95)" : "percentiles(duration, 50, 95)")}.");
        if (takesOne && call.Arguments.Count > before + 1)
            throw Error(
                call.At,
                $"'{call.Function}' takes one percentile.",
                $"{call.Function.Replace("ile", "iles", StringComparison.Ordinal)} takes several.");
        var outside = _insideAggregate;
        _insideAggregate = true;
        arguments = [.. call.Arguments.Take(before).Select(Bind)];
        var percents = call.Arguments.Skip(before).Select(Percent).ToList();
        _insideAggregate = outside;
        if (isWeighted && arguments[1].Type is not (ColumnType.Int or ColumnType.Long))
            throw Error(
                call.Arguments[1].At, $"a weight is a whole number, not a {arguments[1].Type.KqlName()}.", "For example itemCount.");
        return PercentileShape(arguments[0].Type == ColumnType.Int ? ColumnType.Long : arguments[0].Type, percents, isWeighted)
            ?? throw Error(call.Arguments[0].At, $"a {arguments[0].Type.KqlName()} has no percentiles.", "Convert it first: todouble(…).");
    }

    private static AggregateShape? PercentileShape(ColumnType type, List<double> percents, bool isWeighted) => type switch
    {
        ColumnType.Real => new([.. percents.Select(_ => type)], context => new Percentiles<double>(type, percents, isWeighted, context)),
        ColumnType.Long or ColumnType.DateTime or ColumnType.TimeSpan =>
            new([.. percents.Select(_ => type)], context => new Percentiles<long>(type, percents, isWeighted, context)),
        _ => null,
    };

    private double Percent(Expression percent) => BindConstant(percent, "a percentile") switch
    {
        long and >= 0 and <= 100 and var whole => whole,
        double and >= 0 and <= 100 and var real => real,
        _ => throw Error(percent.At, "a percentile is a number from 0 to 100.", "For example 95 or 99.9."),
    };

    private void AddChosenRow(Named aggregate, Call call, int sign)
    {
        if (call.Arguments.Count == 0)
            throw Error(call.At, $"'{call.Function}' takes at least one argument.", "For example: arg_max(timestamp, *).");
        var chosen = call.Arguments.SelectMany((argument, i) => StarOrColumn(argument, i, call)).ToList();
        if (chosen[0].Value.Type == ColumnType.Dynamic && sign != 0)
            throw Error(call.Arguments[0].At, "a dynamic value has no order.", "Write todouble(…) around it.");
        ColumnType[] types = [.. chosen.Select(each => each.Value.Type)];
        var first = Use(new(types, context => new ChosenRow(types, sign, context)), [.. chosen.Select(each => each.Value)]).Index;
        for (var i = 0; i < chosen.Count; i++)
        {
            _results.Add(new ColumnScalar(types[i], first + i));
            if (i == 0 && aggregate.Name is { } given) _names.AddGiven(given, types[i], aggregate.At);
            else _names.AddDerived(chosen[i].Name, types[i]);
        }
    }

    // A star is every column that is not already a key or the value to compare.
    private IEnumerable<(string? Name, Scalar Value)> StarOrColumn(Expression argument, int position, Call call)
    {
        if (argument is not Star)
        {
            var prefix = call.Function switch { "arg_max" => "max", "arg_min" => "min", _ => "any" };
            var name = ColumnNames.Of(argument)
                ?? (position == 0 ? $"{prefix}_" : $"{prefix}_{ColumnNames.Of(call.Arguments[0])}_arg{position}");
            yield return (name, Bind(argument));
            yield break;
        }
        var named = call.Arguments.OfType<Name>().Select(name => name.Text).ToHashSet();
        for (var i = 0; i < source.Columns.Count; i++)
        {
            var column = source.Columns[i];
            if (!named.Contains(column.Name) && !_names.Columns.Any(other => other.Name == column.Name))
                yield return (column.Name, new ColumnScalar(column.Type, i));
        }
    }

    // Nobody sees these names.
    private List<ColumnSchema> AggregatedColumns() =>
    [
        .. _keys.Select(key => key.Type)
            .Concat(_uses.SelectMany(use => use.Shape.Results))
            .Select((type, i) => new ColumnSchema($"${i}", type)),
    ];
}
