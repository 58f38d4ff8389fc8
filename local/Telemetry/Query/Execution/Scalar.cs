using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>An expression whose names and types are resolved.</summary>
internal abstract class Scalar(ColumnType type)
{
    public ColumnType Type { get; } = type;

    public abstract Column Evaluate(Batch batch, QueryContext context);
}

internal sealed class ColumnScalar(ColumnType type, int index) : Scalar(type)
{
    public int Index => index;

    /// <summary>Every column of the source as it is.</summary>
    public static List<Scalar> AllOf(Plan source) =>
        [.. source.Columns.Select((column, i) => new ColumnScalar(column.Type, i))];

    public override Column Evaluate(Batch batch, QueryContext context) => batch[index];
}

internal sealed class ConstantScalar(ColumnType type, object? value) : Scalar(type)
{
    /// <summary>bool, long (also ticks), double, string or <see cref="Dynamic"/>; null for null.</summary>
    public object? Value => value;

    public override Column Evaluate(Batch batch, QueryContext context) => Columns.Constant(Type, value, batch.Length);
}

/// <summary>The single value of a nested query: <c>toscalar(…)</c>.</summary>
internal sealed class QueryScalar(ColumnType type, Plan plan) : Scalar(type)
{
    public override Column Evaluate(Batch batch, QueryContext context) =>
        context.Once(this, () => First(context)).Repeat(batch.Length);

    private Column First(QueryContext context)
    {
        foreach (var batch in plan.Run(context))
        {
            if (batch.Length > 0)
                return batch[0].Take([0]).Flatten();
        }
        return Columns.Constant(Type, null, 1);
    }
}

/// <summary>A function or operator applied to its arguments, in one of three ways: once when all are constant, once per distinct value when
/// all others belong to one coded column, else row by row.</summary>
internal sealed class CallScalar(ColumnType type, Kernel kernel, Scalar[] arguments) : Scalar(type)
{
    public override Column Evaluate(Batch batch, QueryContext context)
    {
        context.Check(); // a value that let gives twice to the next is computed 2^n times
        var columns = new Column[arguments.Length];
        for (var i = 0; i < columns.Length; i++)
            columns[i] = arguments[i].Evaluate(batch, context);
        if (Array.TrueForAll(columns, column => column.IsConstant))
            return kernel(Flat(columns, 1), 1, context).Repeat(batch.Length);
        if (SharedCodes(columns, batch.Length) is not { } shared)
            return kernel(Flat(columns, batch.Length), batch.Length, context);
        var distinct = Array.ConvertAll(columns, column => column is Coded coded ? coded.Distinct : column);
        try
        {
            return new Coded(
                kernel(Flat(distinct, shared.Distinct.Length), shared.Distinct.Length, context),
                shared.Codes,
                batch.Length
            );
        }
        catch (KqlException)
        {
            return kernel(Flat(columns, batch.Length), batch.Length, context); // the value may be one that no row has
        }
    }

    private static Coded? SharedCodes(Column[] columns, int length)
    {
        Coded? shared = null;
        foreach (var column in columns)
        {
            if (column is Coded coded && (shared is null || shared.Codes == coded.Codes))
                shared = coded;
            else if (!column.IsConstant)
                return null;
        }
        return shared?.Distinct.Length <= length ? shared : null;
    }

    private static Column[] Flat(Column[] columns, int length) =>
        Array.ConvertAll(columns, column => column.IsConstant ? column.Repeat(length) : column.Flatten());
}
