using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>An expression with resolved names and types.</summary>
internal abstract class Scalar(ColumnType type)
{
    public ColumnType Type { get; } = type;

    public abstract Column Evaluate(Batch batch, QueryContext context);
}

internal sealed class ColumnScalar(ColumnType type, int index) : Scalar(type)
{
    public int Index => index;

    public static List<Scalar> AllOf(Plan source) =>
        [.. source.Columns.Select((column, i) => new ColumnScalar(column.Type, i))];

    public override Column Evaluate(Batch batch, QueryContext context) => batch[index];
}

internal sealed class ConstantScalar(ColumnType type, object? value) : Scalar(type)
{
    /// <summary>A bool, long (also ticks), double, string, <see cref="Dynamic"/>, or <c>null</c>.</summary>
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
                return batch[0].Take([0]);
        }
        return Columns.Constant(Type, null, 1);
    }
}

/// <summary>A function or operator with its arguments. Evaluated once if all arguments are constant, once per distinct
/// value if all others belong to one coded column, and otherwise per row.</summary>
internal sealed class CallScalar(ColumnType type, Kernel kernel, Scalar[] arguments) : Scalar(type)
{
    public override Column Evaluate(Batch batch, QueryContext context)
    {
        context.Check(); // Nested let statements that use a value twice would compute it 2^n times.
        var columns = Array.ConvertAll(arguments, argument => argument.Evaluate(batch, context));
        if (batch.Length == 0)
            return Apply(columns, 0, context);
        var rows = Array.FindAll(columns, column => !column.IsConstant);
        if (rows.Length == 0)
            return Apply(columns, 1, context).Repeat(batch.Length);
        var codes = rows[0].Codes;
        var distinct = rows[0].Distinct.Length;
        if (codes is null || distinct > batch.Length || Array.Exists(rows, row => row.Codes != codes))
            return Apply(columns, batch.Length, context);
        try
        {
            return Apply(
                    Array.ConvertAll(columns, column => column.IsConstant ? column : column.Distinct),
                    distinct,
                    context
                )
                .WithCodes(codes, batch.Length);
        }
        catch (KqlException)
        {
            return Apply(columns, batch.Length, context); // The failing value might not occur in any row.
        }
    }

    private Column Apply(Column[] columns, int length, QueryContext context) =>
        kernel(
            Array.ConvertAll(columns, column => column.IsConstant ? column.Repeat(length) : column),
            length,
            context
        );
}
