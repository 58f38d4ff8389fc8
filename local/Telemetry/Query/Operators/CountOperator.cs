using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>count</c></summary>
internal sealed record CountOperator(int At) : Operator(At)
{
    public static CountOperator Parse(Parser parser, Token name) => new(name.At);

    public override Plan Bind(Plan source, QueryBinder binder) =>
        new SummarizePlan(
            source,
            [new("Count", ColumnType.Long)],
            [],
            [new(new(ColumnType.Long, () => new CountRows()), [])]
        );
}
