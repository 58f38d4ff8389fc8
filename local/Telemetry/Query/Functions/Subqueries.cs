namespace DroneDelivery.Telemetry.Query;

internal static class Subqueries
{
    public static readonly Function[] Functions = [new("toscalar") { BindOwn = BindToScalar }];

    private static QueryScalar BindToScalar(Call call, ExpressionBinder binder)
    {
        if (binder.Queries.BindAsTable(call.Arguments) is not { } plan)
        {
            throw binder.Error(
                call.At,
                "toscalar requires a query.",
                "For example: toscalar(requests | summarize max(timestamp))."
            );
        }

        return new(plan.Columns[0].Type, plan);
    }
}
