using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>How a column is called that a function makes and nobody names.</summary>
internal enum ResultName
{
    /// <summary><c>Column1</c>, <c>Column2</c>, ….</summary>
    None,

    /// <summary>Like its first argument: <c>bin(timestamp, 5s)</c> is <c>timestamp</c>.</summary>
    FirstArgument,

    /// <summary>Function and first argument: <c>strlen_name</c>.</summary>
    FunctionAndFirstArgument,
}

/// <summary>One way to call a function.</summary>
internal sealed record Overload(ColumnType Result, ColumnType[] Parameters, Kernel Kernel);

/// <summary>A function or operator with all its overloads.</summary>
/// <param name="Folds">Whether more arguments than an overload takes are folded from the right: f(a, f(b, c)).</param>
/// <param name="TakesAnyAsText">Whether arguments of any type are turned into text first.</param>
internal sealed record Function(
    string Name,
    ResultName Naming,
    IReadOnlyList<Overload> Overloads,
    bool Folds = false,
    bool TakesAnyAsText = false
)
{
    /// <summary>Binds a call whose arguments are not all plain values: conditions, a query, a type. Null: bind it like any other.</summary>
    public Func<Call, ExpressionBinder, Scalar?>? BindOwn { get; init; }

    /// <summary>The overload that needs the cheapest conversions; null when none fits.</summary>
    public Overload? Resolve(IReadOnlyList<ColumnType> arguments)
    {
        Overload? best = null;
        var (least, fitting) = (int.MaxValue, 0);
        foreach (var overload in Overloads)
        {
            if (Cost(overload, arguments) is not { } cost)
                continue;
            fitting++;
            if (cost < least)
                (best, least) = (overload, cost);
        }
        // Two dynamic values do not tell what they are to be compared or computed as.
        var isAmbiguous = least > 0 && fitting > 1 && arguments.Count(argument => argument == ColumnType.Dynamic) > 1;
        return isAmbiguous ? null : best;
    }

    private static int? Cost(Overload overload, IReadOnlyList<ColumnType> arguments)
    {
        if (overload.Parameters.Length != arguments.Count)
            return null;
        var total = 0;
        for (var i = 0; i < arguments.Count; i++)
        {
            if (Conversions.Cost(arguments[i], overload.Parameters[i]) is not { } cost)
                return null;
            total += cost;
        }
        return total;
    }
}
