using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Resolves names and overloads in expressions, and evaluates constants.</summary>
internal class ExpressionBinder(Scope scope, IReadOnlyList<ColumnSchema> columns, QueryBinder queries)
{
    public QueryBinder Queries => queries;

    public IReadOnlyList<ColumnSchema> Columns => columns;

    public Scalar Bind(Expression expression)
    {
        scope.Context.Check();
        return expression switch
        {
            Literal literal => new ConstantScalar(literal.Type, literal.Value),
            Name name => BindName(name),
            Member member => BindMember(member),
            Operation operation => BindCall(operation.Function, operation.At, [.. operation.Operands.Select(Bind)]),
            Call call => BindCall(call),
            InList list => BindIn(list),
            InRange range => BindInRange(range),
            Star star => throw Error(
                star.At,
                "'*' is not a valid value.",
                "It stands for all columns in distinct *, and in arg_max(x, *)."
            ),
            Tabular tabular => throw Error(
                tabular.At,
                "a value was expected here, not a query.",
                "toscalar(…) converts a query to a value."
            ),
            _ => throw new InvalidOperationException($"{expression.GetType()} cannot be bound."),
        };
    }

    public Scalar BindPredicate(Expression expression)
    {
        var predicate = Bind(expression);
        if (predicate.Type == ColumnType.Dynamic)
            return Conversions.Convert(predicate, ColumnType.Bool);
        return predicate.Type == ColumnType.Bool
            ? predicate
            : throw Error(
                expression.At,
                $"a condition must be true or false, but this is a {predicate.Type.KqlName()}.",
                "Compare it with something: ==, >, has, …."
            );
    }

    public object? BindConstant(Expression expression, string what) =>
        Bind(expression) is ConstantScalar constant
            ? constant.Value
            : throw Error(expression.At, $"{what} must be a constant.", "Write the value, or a name that let defines.");

    /// <summary>Binds a constant of a type. Accepts an integer for a real.</summary>
    public object? BindAs(Expression expression, ColumnType type, string what)
    {
        var value = BindConstant(expression, what);
        return (value, type) switch
        {
            (null, _) or (bool, ColumnType.Bool) or (string, ColumnType.String) or (double, ColumnType.Real) => value,
            (Dynamic, ColumnType.Dynamic) or (long, ColumnType.Int or ColumnType.Long) => value,
            (long whole, ColumnType.Real) => (double)whole,
            (long, ColumnType.DateTime or ColumnType.TimeSpan) when Bind(expression).Type == type => value,
            _ => throw Error(expression.At, $"{what} must be of type {type.KqlName()}."),
        };
    }

    public KqlException Error(int at, string reason, string? hint = null) => scope.Text.Error(at, reason, hint);

    protected virtual Scalar BindName(Name name)
    {
        for (var i = 0; i < columns.Count; i++)
        {
            if (columns[i].Name == name.Text)
                return new ColumnScalar(columns[i].Type, i);
        }
        return scope.FindValue(name.Text) ?? throw UnknownName(name);
    }

    protected virtual Scalar BindCall(Call call) =>
        FunctionTable.Find(call.Function) is { } function
            ? function.BindOwn?.Invoke(call, this) ?? BindCall(function, call.At, [.. call.Arguments.Select(Bind)])
            : throw UnknownFunction(call);

    public Scalar BindCall(string name, int at, IReadOnlyList<Scalar> arguments) =>
        BindCall(FunctionTable.Known(name), at, arguments);

    public Scalar BindCall(Function function, int at, IReadOnlyList<Scalar> arguments)
    {
        if (function.TakesAnyAsText)
            arguments = [.. arguments.Select(argument => Conversions.Convert(argument, ColumnType.String))];
        if (function.Folds && arguments.Count != 2 && arguments.Count > 0)
        {
            var folded = arguments[^1];
            for (var i = arguments.Count - 2; i >= 0; i--)
                folded = BindCall(function, at, [arguments[i], folded]);
            return folded;
        }
        var types = arguments.Select(argument => argument.Type).ToList();
        if (function.Resolve(types) is not { } overload)
            throw NoOverload(function, at, types);
        return Fold(
            new(overload.Result, overload.Kernel, [.. arguments.Zip(overload.Parameters, Conversions.Convert)]),
            arguments
        );
    }

    private Scalar Fold(CallScalar call, IReadOnlyList<Scalar> arguments) =>
        arguments.All(argument => argument is ConstantScalar)
            ? new ConstantScalar(call.Type, call.Evaluate(Batch.OneRow, scope.Context).Value(0))
            : call;

    private Scalar BindMember(Member member)
    {
        if (member.Target is Name { Text: "$left" or "$right" })
        {
            throw Error(
                member.At,
                "$left and $right are only valid after 'on'.",
                "Join first, then use the column's name."
            );
        }

        var target = Bind(member.Target);
        return target.Type == ColumnType.Dynamic
            ? BindCall(".", member.At, [target, new ConstantScalar(ColumnType.String, member.Key)])
            : throw Error(
                member.At,
                $"a {target.Type.KqlName()} has no properties.",
                "Only dynamic values have: customDimensions, or parse_json(text)."
            );
    }

    private Scalar BindComparison(string comparison, int at, Scalar left, Scalar right) =>
        BindCall(ComparisonTable.Find(comparison)!.Function!, at, [left, right]);

    private Scalar BindInRange(InRange range)
    {
        var value = Bind(range.Value);
        var low = Bind(range.Low);
        var high = Bind(range.High);
        // In between (start .. 1m), the second limit is relative to the first.
        if (high.Type == ColumnType.TimeSpan && low.Type == ColumnType.DateTime)
            high = BindCall("+", range.At, [low, high]);
        var fromLow = BindComparison(">=", range.At, value, low);
        var toHigh = BindComparison("<=", range.At, value, high);
        return ApplyNegation(range.Comparison, range.At, BindCall("and", range.At, [fromLow, toHigh]));
    }

    private Scalar BindIn(InList list)
    {
        var comparison = list.Comparison;
        var left = Bind(list.Left);
        return ApplyNegation(
            comparison,
            list.At,
            queries.BindAsTable(list.Items) is { } plan
                ? BindInQuery(list, left, plan, comparison)
                : BindInValues(list, left, comparison.Each!)
        );
    }

    private Scalar ApplyNegation(ComparisonEntry comparison, int at, Scalar found) =>
        comparison.IsNegated ? BindCall("not", at, [found]) : found;

    private CallScalar BindInQuery(InList list, Scalar left, Plan plan, ComparisonEntry comparison)
    {
        if (plan.Columns.Count != 1)
        {
            throw Error(
                list.At,
                $"the query behind '{comparison.Name}' must have one column, but it has {plan.Columns.Count}.",
                "Add | project NAME."
            );
        }
        if (left.Type == ColumnType.Dynamic)
            left = Conversions.Convert(left, ColumnType.String);
        var isTerm = comparison.Each == "has";
        if (isTerm && left.Type != ColumnType.String)
        {
            throw Error(
                list.At,
                $"'{comparison.Name}' searches a string, not a {left.Type.KqlName()}.",
                "Write tostring(…) around it."
            );
        }
        if (plan.Columns[0].Type == left.Type)
        {
            return isTerm ? InSet.AnyTerm(left, plan) : InSet.OfQuery(left, plan, ignoreCase: comparison.Each == "=~");
        }
        throw Error(
            list.At,
            $"a {left.Type.KqlName()} cannot be compared with values of type {plan.Columns[0].Type.KqlName()}.",
            "Convert one of them."
        );
    }

    private Scalar BindInValues(InList list, Scalar left, string each)
    {
        var items = list.Items.Select(Bind).SelectMany(Spread).ToList();
        if (each != "has" && InSet.OfValues(left, items, ignoreCase: each == "=~") is { } set)
        {
            return set;
        }

        return items
            .Select(item => BindComparison(each, list.At, left, item))
            .DefaultIfEmpty(new ConstantScalar(ColumnType.Bool, false))
            .Aggregate((a, b) => BindCall("or", list.At, [a, b]));
    }

    private static IEnumerable<Scalar> Spread(Scalar item)
    {
        if (item is not ConstantScalar { Value: Dynamic { Kind: JsonValueKind.Array } array })
            return [item];
        return array.Elements().Where(element => !element.IsNull).Select(ElementOf);
    }

    private static ConstantScalar ElementOf(Dynamic element)
    {
        var text = element.ToString();
        return element.Kind switch
        {
            JsonValueKind.Number when TypedLiteral.Whole(text) is { } whole => new(ColumnType.Long, whole),
            JsonValueKind.Number => new(ColumnType.Real, TypedLiteral.Real(text)),
            JsonValueKind.True or JsonValueKind.False => new(ColumnType.Bool, element.Kind == JsonValueKind.True),
            _ => new(ColumnType.String, text),
        };
    }

    private KqlException NoOverload(Function function, int at, List<ColumnType> types)
    {
        var isOperator = FunctionTable.Find(function.Name) is null;
        if (!isOperator && function.Overloads.All(overload => overload.Parameters.Length != types.Count))
        {
            return Error(
                at,
                $"'{function.Name}' does not take {types.Count} argument{(types.Count == 1 ? "" : "s")}.",
                Signatures(function)
            );
        }
        var given = string.Join(" and ", types.Select(type => type.KqlName()));
        return Error(
            at,
            $"'{function.Name}' cannot be applied to {given}.",
            TypeHint(function, types) ?? Signatures(function)
        );
    }

    private static string? TypeHint(Function function, List<ColumnType> types) =>
        types.Count(type => type == ColumnType.Dynamic) > 1 ? "Write tostring(…) or todouble(…) around one of them."
        : types.Contains(ColumnType.DateTime) && types.Contains(ColumnType.String)
            ? "Write datetime(…) or todatetime(…) around the string."
        : types.Contains(ColumnType.TimeSpan) && types.Contains(ColumnType.String)
            ? "Write totimespan(…) around the string, or a literal such as 5m."
        : types.Contains(ColumnType.String)
        && types.Any(type => type is ColumnType.Long or ColumnType.Int or ColumnType.Real)
            ? "Convert one side: todouble(text) or tostring(number)."
        : function.Name is "and" or "or" or "not" ? "Both sides must be conditions."
        : null;

    private static string Signatures(Function function) =>
        "It takes "
        + string.Join(
            " or ",
            function
                .Overloads.Take(4)
                .Select(overload => $"({string.Join(", ", overload.Parameters.Select(type => type.KqlName()))})")
                .Distinct()
        )
        + ".";

    private KqlException UnknownName(Name name)
    {
        if (scope.FindTable(name.Text) is not null)
        {
            return Error(
                name.At,
                $"'{name.Text}' is a table, not a value.",
                "toscalar(…) converts a query to a value."
            );
        }
        var candidates = columns.Select(column => column.Name).Concat(scope.ValueNames);
        return Error(
            name.At,
            $"there is no column '{name.Text}'.",
            Similar.Hint(name.Text, candidates) ?? Known(columns.Select(column => column.Name))
        );
    }

    private KqlException UnknownFunction(Call call) =>
        AggregateTable.Names.Contains(call.Function)
            ? Error(call.At, $"'{call.Function}' is an aggregate and cannot be used here.", "Use it in summarize.")
            : Error(
                call.At,
                $"there is no function '{call.Function}'.",
                Similar.Hint(call.Function, FunctionTable.Names.Concat(AggregateTable.Names))
                    ?? "See the list of supported functions in docs/reference/query-language.md."
            );

    private static string? Known(IEnumerable<string> names) =>
        names.Any() ? $"Available: {string.Join(", ", names.Take(12))}{(names.Skip(12).Any() ? ", …" : "")}." : null;
}
