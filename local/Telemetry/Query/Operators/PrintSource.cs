namespace DroneDelivery.Telemetry.Query;

/// <summary><c>print NAME = VALUE, …</c></summary>
internal sealed record PrintSource(int At, IReadOnlyList<Named> Columns) : Source(At)
{
    public static PrintSource Parse(Parser parser, Token name) => new(name.At, parser.ParseColumns());

    public override Plan Bind(QueryBinder binder)
    {
        var names = new ColumnNames(binder.Text);
        var values = new List<Scalar>();
        foreach (var column in Columns)
        {
            var value = binder.Expressions([]).Bind(column.Value);
            if (column.Name is not null)
                names.Add(column, value.Type);
            else
                names.AddDerived($"print_{values.Count}", value.Type);
            values.Add(value);
        }
        return new PrintPlan(names.Columns, values);
    }
}
