using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>order by VALUE asc nulls last, …</c></summary>
internal sealed record SortOperator(int At, IReadOnlyList<SortKey> Keys) : Operator(At)
{
    public static SortOperator Parse(Parser parser, Token name)
    {
        parser.Tokens.Expect("by", $"after '{name.Text}'");
        return new(name.At, SortKey.ParseList(parser));
    }

    public override Plan Bind(Plan source, QueryBinder binder) =>
        new SortPlan(source, SortKey.Bind(Keys, source, binder), null);
}

internal sealed record SortKey(Expression Value, bool Ascending, bool NullsFirst)
{
    public static List<SortKey> ParseList(Parser parser) => parser.Tokens.List(() => Parse(parser));

    public static List<SortBy> Bind(IReadOnlyList<SortKey> keys, Plan source, QueryBinder binder) =>
        [.. keys.Select(key => key.Bind(source, binder))];

    private static SortKey Parse(Parser parser)
    {
        var (value, tokens) = (parser.ParseExpression(), parser.Tokens);
        var ascending = tokens.Accept("asc");
        if (!ascending)
            tokens.Accept("desc");
        if (!tokens.Accept("nulls"))
            return new(value, ascending, NullsFirst: ascending);
        if (tokens.Accept("first"))
            return new(value, ascending, NullsFirst: true);
        tokens.Expect("last", "after 'nulls'");
        return new(value, ascending, NullsFirst: false);
    }

    private SortBy Bind(Plan source, QueryBinder binder)
    {
        var value = binder.Expressions(source.Columns).Bind(Value);
        return value.Type == ColumnType.Dynamic
            ? throw binder.Error(
                Value.At,
                "a dynamic value has no order.",
                "Write tostring(…) or todouble(…) around it."
            )
            : new(value, Ascending, NullsFirst);
    }
}
