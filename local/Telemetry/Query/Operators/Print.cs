namespace DroneDelivery.Telemetry.Query;

/// <summary><c>print NAME = VALUE, …</c></summary>
internal static class Print
{
    public static Source Parse(Parser parser, Token name)
    {
        var columns = parser.ParseColumns();
        return binder => Bind(columns, binder);
    }

    private static ProjectPlan Bind(List<Named> columns, QueryBinder binder)
    {
        var names = new ColumnNames(binder.Text);
        var values = new List<Scalar>();
        foreach (var column in columns)
        {
            var value = binder.Expressions([]).Bind(column.Value);
            if (column.Name is not null)
                names.Add(column, value.Type);
            else
                names.AddDerived($"print_{values.Count}", value.Type);
            values.Add(value);
        }
        return new(new ValuesPlan([], [Batch.OneRow]), names.Columns, values);
    }
}
