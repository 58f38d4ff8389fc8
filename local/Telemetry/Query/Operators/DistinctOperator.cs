using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>distinct NAME = VALUE, …</c>, <c>distinct *</c></summary>
internal sealed record DistinctOperator(int At, IReadOnlyList<Named> Columns) : Operator(At)
{
    public static DistinctOperator Parse(Parser parser, Token name) => new(name.At, parser.ParseColumns());

    public override Plan Bind(Plan source, QueryBinder binder)
    {
        var keys = Columns is [{ Value: Star }]
            ? new ProjectPlan(source, source.Columns, ColumnScalar.AllOf(source))
            : new ProjectOperator(At, Columns).Bind(source, binder);
        for (var i = 0; i < keys.Columns.Count; i++)
        {
            if (keys.Columns[i].Type == ColumnType.Dynamic)
            {
                throw binder.Error(
                    Columns[Math.Min(i, Columns.Count - 1)].At,
                    $"'{keys.Columns[i].Name}' is dynamic and cannot be compared.",
                    "Write tostring(…) around it, or leave it out."
                );
            }
        }
        return new SummarizePlan(keys, keys.Columns, ColumnScalar.AllOf(keys), []);
    }
}
