using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Computes a column from argument columns. Constant arguments apply to all rows.</summary>
internal delegate Column Kernel(Column[] arguments, int length, QueryContext context);

internal delegate Kernel KernelOf(ColumnType result);

/// <summary>Creates kernels from functions of one row. Null arguments give null; functions that accept null need their
/// own kernel.</summary>
internal static class Kernels
{
    public static readonly KernelOf Same = _ => (arguments, _, _) => arguments[0];

    public static KernelOf With(Func<QueryContext, KernelOf> kernel) =>
        type => (arguments, length, context) => kernel(context)(type)(arguments, length, context);

    public static KernelOf Of<A, R>(Func<A, R> function) => Of<A, A, R>((value, _) => function(value));

    public static KernelOf Of<A, B, R>(Func<A, B, R> function) =>
        type =>
            (arguments, length, context) =>
            {
                var a = arguments[0].As<A>();
                var b = arguments[^1].As<B>(); // The overload for one argument passes it twice.
                var items = new ColumnMaker<R>(type, length, context);
                for (var i = 0; i < length; i++)
                {
                    if (a.IsNull(i) || b.IsNull(i))
                        items.SetNull(i);
                    else
                        items.Set(i, function(a[i], b[i]));
                }
                return items.Column;
            };

    public static KernelOf Of<A, B, C, R>(Func<A, B, C, R> function) =>
        type =>
            (arguments, length, context) =>
            {
                var a = arguments[0].As<A>();
                var b = arguments[1].As<B>();
                var c = arguments[2].As<C>();
                var items = new ColumnMaker<R>(type, length, context);
                for (var i = 0; i < length; i++)
                {
                    if (a.IsNull(i) || b.IsNull(i) || c.IsNull(i))
                        items.SetNull(i);
                    else
                        items.Set(i, function(a[i], b[i], c[i]));
                }
                return items.Column;
            };

    public static KernelOf Maybe<A, R>(Func<A, R?> function)
        where R : struct => Maybe<A, A, R>((value, _) => function(value));

    public static KernelOf Maybe<A, B, R>(Func<A, B, R?> function)
        where R : struct =>
        type =>
            (arguments, length, context) =>
            {
                var a = arguments[0].As<A>();
                var b = arguments[^1].As<B>();
                var items = new ColumnMaker<R>(type, length, context);
                for (var i = 0; i < length; i++)
                {
                    if (!a.IsNull(i) && !b.IsNull(i) && function(a[i], b[i]) is { } value)
                        items.Set(i, value);
                    else
                        items.SetNull(i);
                }
                return items.Column;
            };
}

internal struct ColumnMaker<R>(ColumnType type, int length, QueryContext context)
{
    private readonly R[] _items = new R[length];
    private bool[]? _nulls;

    public readonly Column Column => new Values<R>(type, _items, _nulls, length);

    public readonly void Set(int row, R value)
    {
        if (value is string text)
            context.CountCharacters(text.Length);
        if (value is Dynamic json)
            context.CountCharacters(json.Json.Length);
        _items[row] = value;
    }

    public void SetNull(int row)
    {
        if (typeof(R) == typeof(string))
            _items[row] = (R)(object)"";
        else
            (_nulls ??= new bool[length])[row] = true;
    }
}
