using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>range NAME from FIRST to LAST step STEP</c></summary>
internal static class NumberRange
{
    private const long MaxRows = long.MaxValue / 2;

    public static Source Parse(Parser parser, Token name)
    {
        var column = parser.ExpectName("a name after 'range'").Text;
        parser.Expect("from", $"after 'range {column}'", "For example: range n from 1 to 10 step 1.");
        var first = parser.ParseExpression();
        parser.Expect("to", "after the first value");
        var last = parser.ParseExpression();
        parser.Expect("step", "after the last value");
        var step = parser.ParseExpression();
        return binder => Bind(column, first, last, step, name.At, binder);
    }

    private static Plan Bind(string name, Expression from, Expression to, Expression by, int at, QueryBinder binder)
    {
        var values = binder.Expressions([]);
        var type = values.Bind(from).Type switch
        {
            ColumnType.Int => ColumnType.Long,
            ColumnType.Long when values.Bind(by).Type == ColumnType.Real => ColumnType.Real,
            var own => own,
        };
        var step = type == ColumnType.DateTime ? ColumnType.TimeSpan : type;
        var first = values.BindAs(from, type, "the first value");
        var last = values.BindAs(to, type, "the last value");
        return (first, last, values.BindAs(by, step, "the step")) switch
        {
            (long a, long b, long s and not 0) => new RangePlan<long>(new(name, type), Length(a, b, s), i => a + i * s),
            (double a, double b, double s and not 0) => new RangePlan<double>(
                new(name, type),
                Length(Math.Floor((b - a) / s)),
                i => a + i * s
            ),
            _ => throw binder.Error(
                at,
                $"the values of a range of {type.KqlName()} must have matching types, and the step must not be 0.",
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

internal sealed class ValuesPlan(IReadOnlyList<ColumnSchema> columns, IEnumerable<Batch> batches) : Plan(columns)
{
    protected override IEnumerable<Batch> Produce(QueryContext context) => batches;
}

internal sealed class RangePlan<T>(ColumnSchema column, long length, Func<long, T> valueAt) : Plan([column])
{
    protected override IEnumerable<Batch> Produce(QueryContext context)
    {
        for (var at = 0L; at < length; at += Chunk.Capacity)
        {
            var values = new T[Math.Min(Chunk.Capacity, length - at)];
            for (var i = 0; i < values.Length; i++)
                values[i] = valueAt(at + i);
            yield return Batch.Of(new Values<T>(column.Type, values, null, values.Length));
        }
    }
}
