using System.Globalization;

namespace DroneDelivery.Kubernetes.Tests.Agreement;

public sealed class PriceTests
{
    private static readonly JsonNode Prices = JsonNode.Parse(Read("loadtest/prices/azure-2026-11.json"))!;

    public static TheoryData<string, double> Parts => new()
    {
        { "nodes D2s v5", Hourly(Prices["nodes"]!["sizes"]!, "D2s v5") },
        { "system nodes D4s v5", Hourly(Prices["nodes"]!["sizes"]!, "D4s v5") },
        { "AKS, ", Prices["cluster"]!["perHour"]!.GetValue<double>() },
        { "or Premium, ", Prices["serviceBus"]!["premiumUnitPerHour"]!.GetValue<double>() },
        { "Redis Balanced B1", Hourly(Prices["redis"]!["sizes"]!, "Managed Redis B1") },
    };

    [Theory, MemberData(nameof(Parts))]
    public void The_table_of_what_Azure_costs_has_the_planner_s_price_and_the_sum_of_a_month(string part, double price)
    {
        var row = Read("docs/how-to/azure.md").Split('\n')
            .Single(line => line.StartsWith('|') && line.Contains(part, StringComparison.Ordinal));
        var cells = row.Split('|', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);

        var count = int.TryParse(cells[0].Split(' ')[0], CultureInfo.InvariantCulture, out var number) ? number : 1;
        var hours = Prices["hoursPerMonth"]!.GetValue<int>();
        Assert.Equal(price, double.Parse(cells[2].Split(' ')[0], CultureInfo.InvariantCulture));
        Assert.Equal(Math.Round(count * price * hours), double.Parse(cells[1], CultureInfo.InvariantCulture));
    }

    private static double Hourly(JsonNode sizes, string name) =>
        sizes.AsArray().Single(size => $"{size!["name"]}" == name)!["perHour"]!.GetValue<double>();

    private static string Read(string file) => File.ReadAllText(Path.Combine(Repository.Root, file));
}
