namespace DroneDelivery.Telemetry.Query;

/// <summary><c>where PREDICATE</c></summary>
internal sealed record WhereOperator(int At, Expression Predicate) : Operator(At)
{
    public static WhereOperator Parse(Parser parser, Token name) => new(name.At, parser.ParseExpression());

    public override Plan Bind(Plan source, QueryBinder binder)
    {
        var predicates = new List<Scalar>();
        var pending = new Stack<Expression>([Predicate]);
        while (pending.TryPop(out var expression))
        {
            if (expression is Binary { Operator: "and" } both)
            {
                pending.Push(both.Right);
                pending.Push(both.Left);
            }
            else
            {
                predicates.Add(binder.Expressions(source.Columns).BindPredicate(expression));
            }
        }
        return new WherePlan(source, predicates);
    }
}
