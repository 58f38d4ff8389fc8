namespace DroneDelivery.Telemetry.Query;

/// <summary><c>extend NAME = VALUE, …</c></summary>
internal sealed record ExtendOperator(int At, IReadOnlyList<Named> Columns) : Operator(At)
{
    public static ExtendOperator Parse(Parser parser, Token name) => new(name.At, parser.ParseColumns());

    public override Plan Bind(Plan source, QueryBinder binder)
    {
        var columns = source.Columns.ToList();
        var values = ColumnScalar.AllOf(source);
        var names = new ColumnNames(binder.Text);
        foreach (var column in source.Columns)
            names.AddDerived(column.Name, column.Type);
        foreach (var column in Columns)
        {
            var value = binder.Expressions(source.Columns).Bind(column.Value);
            var existing = column.Name is null ? -1 : columns.FindIndex(each => each.Name == column.Name);
            if (existing >= 0)
            {
                (columns[existing], values[existing]) = (new(column.Name!, value.Type), value);
                continue;
            }
            names.Add(column, value.Type);
            columns.Add(names.Columns[^1]);
            values.Add(value);
        }
        return new ProjectPlan(source, columns, values);
    }
}
