using DroneDelivery.Testing;

namespace DroneDelivery.Telemetry.Tests.Query;

public sealed class LanguageListTests
{
    private static readonly string List = File.ReadAllText(
        Path.Combine(Repository.Root, "docs", "reference", "query-language.md")
    );

    public static TheoryData<string> NotServed =>
        [.. OperatorTable.All.Where(entry => entry.Help is null).Select(entry => entry.Name)];

    [Fact]
    public void Documentation_lists_all_operators_functions_and_aggregates()
    {
        Assert.Contains(
            string.Concat(OperatorTable.Supported.Select(entry => $"| `{entry.Name}` | {entry.Help} |\n")),
            List
        );
        Assert.Contains(
            Row("Not supported", OperatorTable.All.Where(entry => entry.Help is null).Select(entry => entry.Name)),
            List
        );
        Assert.Contains(Row("Comparisons", ComparisonTable.All.Select(comparison => comparison.Name)), List);
        Assert.Contains(Row("Functions", FunctionTable.Names), List);
        Assert.Contains(Row("Aggregates", AggregateTable.Names), List);
    }

    [Theory]
    [MemberData(nameof(NotServed))]
    public void Operator_of_Azure_only_is_rejected_as_unsupported(string name)
    {
        var query = OperatorTable.Find(name)!.ParseStep is null ? $"{name} x" : $"requests | {name} x";

        Assert.Contains($"'{name}' is not supported", Assert.Throws<KqlException>(() => KqlQuery.Parse(query)).Reason);
    }

    private static string Row(string title, IEnumerable<string> names) =>
        $"| {title} | {string.Join(", ", names.Select(name => $"`{name}`"))} |\n";
}
