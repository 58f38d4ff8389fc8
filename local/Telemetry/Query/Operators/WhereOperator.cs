namespace DroneDelivery.Telemetry.Query;

/// <summary><c>where PREDICATE</c></summary>
internal sealed record WhereOperator(int At, Expression Predicate) : Operator(At)
{
    public static WhereOperator Parse(Parser parser, Token name) => new(name.At, parser.ParseExpression());

    public override Plan Bind(Plan source, QueryBinder binder) => Filter(source, Predicate, binder);

    // The sides of an "and" filter one after the other: the later ones look at fewer rows.
    private static Plan Filter(Plan source, Expression predicate, QueryBinder binder) =>
        predicate is Binary { Operator: "and" } both
            ? Filter(Filter(source, both.Left, binder), both.Right, binder)
            : new WherePlan(source, binder.Expressions(source.Columns).BindPredicate(predicate));
}
