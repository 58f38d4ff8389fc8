using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>range NAME from FIRST to LAST step STEP</c></summary>
internal sealed record RangeSource(int At, string Name, Expression First, Expression Last, Expression Step) : Source(At)
{
    private const long MaxRows = long.MaxValue / 2;

    public static RangeSource Parse(Parser parser, Token name)
    {
        var tokens = parser.Tokens;
        var column = tokens.ExpectName("a name after 'range'").Text;
        tokens.Expect("from", $"after 'range {column}'", "For example: range n from 1 to 10 step 1.");
        var first = parser.ParseExpression();
        tokens.Expect("to", "after the first value");
        var last = parser.ParseExpression();
        tokens.Expect("step", "after the last value");
        return new(name.At, column, first, last, parser.ParseExpression());
    }

    public override Plan Bind(QueryBinder binder)
    {
        var values = binder.Expressions([]);
        var type = values.Bind(First).Type switch
        {
            ColumnType.Int => ColumnType.Long,
            ColumnType.Long when values.Bind(Step).Type == ColumnType.Real => ColumnType.Real,
            var own => own,
        };
        var step = type == ColumnType.DateTime ? ColumnType.TimeSpan : type;
        var first = values.BindAs(First, type, "the first value");
        var last = values.BindAs(Last, type, "the last value");
        return (first, last, values.BindAs(Step, step, "the step")) switch
        {
            (long a, long b, long s and not 0) => new RangePlan(new(Name, type), Length(a, b, s), i => a + i * s),
            (double a, double b, double s and not 0) => new RangePlan(
                new(Name, type),
                Length(Math.Floor((b - a) / s)),
                i => a + i * s
            ),
            _ => throw binder.Error(
                At,
                $"a range of {type.KqlName()} has no such values.",
                "For example: range n from 1 to 10 step 1."
            ),
        };
    }

    private static long Length(Int128 first, Int128 last, long step)
    {
        var gap = last - first;
        var leadsAway = gap != 0 && (gap < 0) != (step < 0);
        return leadsAway ? 0 : (long)Int128.Min((gap / step) + 1, MaxRows);
    }

    private static long Length(double steps) => steps < 0 ? 0 : (long)Math.Min(steps + 1, MaxRows);
}

/// <summary>Rows that a query makes itself.</summary>
internal sealed class ValuesPlan(IReadOnlyList<ColumnSchema> columns, IEnumerable<Batch> batches) : Plan(columns)
{
    protected override IEnumerable<Batch> Produce(QueryContext context) => batches;
}

internal sealed class RangePlan(ColumnSchema column, long length, Func<long, object> valueAt) : Plan([column])
{
    protected override IEnumerable<Batch> Produce(QueryContext context)
    {
        for (var at = 0L; at < length; at += Chunk.Capacity)
        {
            var (first, rows) = (at, (int)Math.Min(Chunk.Capacity, length - at));
            yield return Batch.Of(column.Type == ColumnType.Real ? Part<double>(first, rows) : Part<long>(first, rows));
        }
    }

    private Values<T> Part<T>(long first, int rows)
    {
        var values = new T[rows];
        for (var i = 0; i < rows; i++)
            values[i] = (T)valueAt(first + i);
        return new(column.Type, values, null, rows);
    }
}
