namespace DroneDelivery.Telemetry.Query;

/// <summary><c>take COUNT</c></summary>
internal sealed record TakeOperator(int At, Expression Count) : Operator(At)
{
    public static TakeOperator Parse(Parser parser, Token name) => new(name.At, parser.ParseExpression());

    public override Plan Bind(Plan source, QueryBinder binder)
    {
        var count = binder.BindRowCount(Count);
        return source is SortPlan { Limit: null } sorted
            ? new SortPlan(sorted.Source, sorted.Keys, count)
            : new TakePlan(source, count);
    }
}
