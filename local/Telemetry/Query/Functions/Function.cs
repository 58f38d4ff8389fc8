using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal enum ResultName
{
    None,

    /// <summary>The name of the first argument: <c>bin(timestamp, 5s)</c> is <c>timestamp</c>.</summary>
    FirstArgument,

    /// <summary>Function and first argument: <c>strlen_name</c>.</summary>
    FunctionAndFirstArgument,
}

internal sealed class Overload
{
    /// <param name="signature">The parameter and result types, such as <c>datetime, timespan -> datetime</c>.</param>
    public Overload(string signature, KernelOf kernel)
    {
        var names = signature.Split(
            [",", "->"],
            StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries
        );
        var types = Array.ConvertAll(names, name => ColumnTypes.Find(name)!.Value);
        Parameters = types[..^1];
        Result = types[^1];
        Kernel = kernel(Result);
    }

    /// <param name="signature">The signature with T for each of the types, such as <c>T, T -> bool</c>.</param>
    public static IEnumerable<Overload> Each(string types, string signature, KernelOf kernel) =>
        types.Split(' ').Select(type => new Overload(signature.Replace("T", type, StringComparison.Ordinal), kernel));

    public ColumnType[] Parameters { get; }

    public ColumnType Result { get; }

    public Kernel Kernel { get; }
}

internal sealed class Function(string name, params Overload[] overloads)
{
    public Function(string name, string signature, KernelOf kernel)
        : this(name, new Overload(signature, kernel)) { }

    public string Name => name;

    public IReadOnlyList<Overload> Overloads => overloads;

    public ResultName Naming { get; init; }

    /// <summary><c>true</c> if additional arguments are folded from the right: f(a, f(b, c)).</summary>
    public bool Folds { get; init; }

    /// <summary><c>true</c> if arguments of any type are converted to strings.</summary>
    public bool TakesAnyAsText { get; init; }

    /// <summary>Binds calls with special arguments (conditions, a query, a type). Returns <c>null</c> to bind the call
    /// normally.</summary>
    public Func<Call, ExpressionBinder, Scalar?>? BindOwn { get; init; }

    public static Function KeepsName(string name, params Overload[] overloads) =>
        new(name, overloads) { Naming = ResultName.FirstArgument };

    public static Function KeepsName(string name, string signature, KernelOf kernel) =>
        KeepsName(name, new Overload(signature, kernel));

    public Overload? Resolve(IReadOnlyList<ColumnType> arguments)
    {
        Overload? best = null;
        var least = int.MaxValue;
        var fitting = 0;
        foreach (var overload in overloads)
        {
            if (Cost(overload, arguments) is not { } cost)
                continue;
            fitting++;
            if (cost < least)
                (best, least) = (overload, cost);
        }
        // The types of two dynamic values are unknown.
        var isAmbiguous = least > 0 && fitting > 1 && arguments.Count(argument => argument == ColumnType.Dynamic) > 1;
        return isAmbiguous ? null : best;
    }

    private static int? Cost(Overload overload, IReadOnlyList<ColumnType> arguments) =>
        overload.Parameters.Length != arguments.Count
            ? null
            : arguments.Zip(overload.Parameters, Conversions.Cost).Aggregate((int?)0, (total, cost) => total + cost);
}
