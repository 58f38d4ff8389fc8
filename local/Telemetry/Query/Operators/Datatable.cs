using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>datatable(NAME:TYPE, …) [VALUE, …]</c></summary>
internal static class Datatable
{
    public static Source Parse(Parser parser, Token name)
    {
        parser.Expect("(", "after 'datatable'", "For example: datatable(name:string, n:long) ['a', 1, 'b', 2].");
        var columns = parser.ListOf(() => ParseColumn(parser));
        parser.Expect(")", "after the columns");
        parser.Expect("[", "before the values");
        var values = new List<Expression>();
        while (!parser.Current.Is("]"))
        {
            values.Add(parser.ParseExpression());
            if (!parser.Accept(","))
                break;
        }
        parser.Expect("]", "after the values");
        if (values.Count % columns.Count != 0)
            throw parser.Error(name.At, $"{values.Count} values do not fill rows of {columns.Count} columns.");
        return binder => Bind(columns, values, binder);
    }

    private static ValuesPlan Bind(List<ColumnSchema> columns, List<Expression> values, QueryBinder binder)
    {
        var made = columns.Select(
            (column, i) =>
                Columns.Concat(
                    column.Type,
                    [.. values.Where((_, at) => at % columns.Count == i).Select(value => Cell(value, column, binder))]
                )
        );
        return new(columns, values.Count == 0 ? [] : [Batch.Of([.. made])]);
    }

    private static ColumnSchema ParseColumn(Parser parser)
    {
        var name = parser.ExpectName("the name of a column");
        parser.Expect(":", $"after '{name.Text}'");
        var type = parser.ExpectWord("a type");
        return new(
            name.Text,
            ColumnTypes.Find(type.Text) ?? throw parser.Error(type.At, $"'{type.Text}' is not a type.")
        );
    }

    private static Column Cell(Expression value, ColumnSchema column, QueryBinder binder)
    {
        var bound = binder.Expressions([]).BindAs(value, column.Type, $"a value of {column.Name}");
        return Columns.Constant(column.Type, bound, 1);
    }
}
