namespace DroneDelivery.Telemetry.Query;

/// <summary><c>project-rename NEW = OLD, …</c></summary>
internal sealed record RenameOperator(int At, IReadOnlyList<Named> Columns) : Operator(At)
{
    public static RenameOperator Parse(Parser parser, Token name) => new(name.At, parser.ParseColumns());

    public override Plan Bind(Plan source, QueryBinder binder)
    {
        var columns = source.Columns.ToList();
        foreach (var column in Columns)
        {
            if (column is not { Name: { } name, Value: Name old })
                throw binder.Error(column.At, "project-rename takes new = old.", "Both are names of columns.");
            var index = columns.FindIndex(each => each.Name == old.Text);
            if (index < 0)
                throw binder.UnknownColumn(old.At, old.Text, source);
            if (columns.Exists(each => each.Name == name))
                throw binder.Error(column.At, $"there already is a column '{name}'.", "Use another name.");
            columns[index] = columns[index] with { Name = name };
        }
        return new ProjectPlan(source, columns, ColumnScalar.AllOf(source));
    }
}
