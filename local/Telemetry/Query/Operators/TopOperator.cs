namespace DroneDelivery.Telemetry.Query;

/// <summary><c>top COUNT by VALUE asc, …</c></summary>
internal sealed record TopOperator(int At, Expression Count, IReadOnlyList<SortKey> Keys) : Operator(At)
{
    public static TopOperator Parse(Parser parser, Token name)
    {
        var count = parser.ParseExpression();
        parser.Tokens.Expect("by", "after the number of rows", "For example: top 10 by duration.");
        return new(name.At, count, SortKey.ParseList(parser));
    }

    public override Plan Bind(Plan source, QueryBinder binder) =>
        new SortPlan(source, SortKey.Bind(Keys, source, binder), binder.BindRowCount(Count));
}
