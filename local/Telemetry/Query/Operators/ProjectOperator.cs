namespace DroneDelivery.Telemetry.Query;

/// <summary><c>project NAME = VALUE, …</c></summary>
internal sealed record ProjectOperator(int At, IReadOnlyList<Named> Columns) : Operator(At)
{
    public static ProjectOperator Parse(Parser parser, Token name) => new(name.At, parser.ParseColumns());

    public override ProjectPlan Bind(Plan source, QueryBinder binder)
    {
        var names = new ColumnNames(binder.Text);
        var values = Columns.Select(column => binder.Expressions(source.Columns).Bind(column.Value)).ToList();
        for (var i = 0; i < values.Count; i++)
            names.Add(Columns[i], values[i].Type);
        return new(source, names.Columns, values);
    }
}
