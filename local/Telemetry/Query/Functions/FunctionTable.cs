namespace DroneDelivery.Telemetry.Query;

/// <summary>Every scalar function and operator by name; comparisons are in <see cref="ComparisonTable"/>.</summary>
internal static class FunctionTable
{
    private static readonly Dictionary<string, Function> Functions = ByName([
        Logic.Functions,
        TextFunctions.Functions,
        Conversions.Functions,
        Dates.Functions,
        Mathematics.Functions,
        Conditions.Functions,
        Dynamics.Functions,
        Subqueries.Functions,
    ]);

    private static readonly Dictionary<string, Function> Operators = ByName([
        Arithmetic.Operators,
        Logic.Operators,
        Dynamics.Operators,
    ]);

    /// <summary>What can be called by name.</summary>
    public static IEnumerable<string> Names => Functions.Keys;

    /// <summary>What can be called by name; null when there is no such function.</summary>
    public static Function? Find(string name) => Functions.GetValueOrDefault(name);

    /// <summary>A function or operator that the engine itself asks for.</summary>
    public static Function Known(string name) => Operators.GetValueOrDefault(name) ?? Functions[name];

    private static Dictionary<string, Function> ByName(Function[][] families) =>
        families.SelectMany(family => family).ToDictionary(function => function.Name);
}
