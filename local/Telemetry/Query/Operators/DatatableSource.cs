using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>datatable(NAME:TYPE, …) [VALUE, …]</c></summary>
internal sealed record DatatableSource(int At, IReadOnlyList<ColumnSchema> Columns, IReadOnlyList<Expression> Values)
    : Source(At)
{
    public static DatatableSource Parse(Parser parser, Token name)
    {
        var tokens = parser.Tokens;
        tokens.Expect("(", "after 'datatable'", "For example: datatable(name:string, n:long) ['a', 1, 'b', 2].");
        var columns = tokens.List(() => ParseColumn(tokens));
        tokens.Expect(")", "after the columns");
        tokens.Expect("[", "before the values");
        var values = new List<Expression>();
        while (!tokens.Current.Is("]"))
        {
            values.Add(parser.ParseExpression());
            if (!tokens.Accept(","))
                break;
        }
        tokens.Expect("]", "after the values");
        return values.Count % columns.Count == 0
            ? new(name.At, columns, values)
            : throw tokens.Error(name.At, $"{values.Count} values do not fill rows of {columns.Count} columns.");
    }

    public override Plan Bind(QueryBinder binder)
    {
        var columns = Columns.Select(
            (column, i) =>
                Query.Columns.Concat(
                    column.Type,
                    [.. Values.Where((_, at) => at % Columns.Count == i).Select(value => Cell(value, column, binder))]
                )
        );
        return new ValuesPlan(Columns, Values.Count == 0 ? [] : [Batch.Of([.. columns])]);
    }

    private static ColumnSchema ParseColumn(TokenStream tokens)
    {
        var name = tokens.ExpectName("the name of a column");
        tokens.Expect(":", $"after '{name.Text}'");
        var type = tokens.ExpectWord("a type");
        return new(
            name.Text,
            ColumnTypes.Find(type.Text) ?? throw tokens.Error(type.At, $"'{type.Text}' is not a type.")
        );
    }

    private static Column Cell(Expression value, ColumnSchema column, QueryBinder binder)
    {
        var bound = binder.Expressions([]).BindAs(value, column.Type, $"a value of {column.Name}");
        return Query.Columns.Constant(column.Type, bound, 1);
    }
}
