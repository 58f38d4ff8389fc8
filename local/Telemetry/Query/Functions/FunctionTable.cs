namespace DroneDelivery.Telemetry.Query;

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

    public static IEnumerable<string> Names => Functions.Keys;

    public static Function? Find(string name) => Functions.GetValueOrDefault(name);

    public static Function Known(string name) => Operators.GetValueOrDefault(name) ?? Functions[name];

    private static Dictionary<string, Function> ByName(Function[][] families) =>
        families.SelectMany(family => family).ToDictionary(function => function.Name);
}
