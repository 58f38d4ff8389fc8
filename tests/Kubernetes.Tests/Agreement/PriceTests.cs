using System.Globalization;

namespace DroneDelivery.Kubernetes.Tests.Agreement;

public sealed class PriceTests
{
    private static readonly JsonNode Prices = JsonNode.Parse(Read("loadtest/prices/azure-2026-11.json"))!;

    public static TheoryData<string, double> Parts =>
        new()
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
        var cells = Row(part);

        var count = int.TryParse(cells[0].Split(' ')[0], CultureInfo.InvariantCulture, out var number) ? number : 1;
        Assert.Equal(price, Number(cells[2]));
        Assert.Equal(Math.Round(count * price * Hours), Number(cells[1]));
    }

    [Fact]
    public void The_table_has_the_planner_s_steps_for_operations_and_its_price_of_PostgreSQL_with_a_disk()
    {
        var bus = Row("Service Bus Standard, 80 messages a second");
        var standard = Prices["serviceBus"]!["standard"]!;
        var steps = standard["perMillionOperations"]!
            .AsArray()
            .Select(step => (From: Number(step!["fromMillions"]), Price: Number(step["price"])))
            .ToList();
        var (first, second) = (steps[0], steps[1]);
        var millions = 80 * Number(Prices["serviceBus"]!["operationsPerMessage"]) * 3600 * Hours / 1e6; // fewer than the third step

        var fee = Number(standard["perMonth"]);
        var (a, b) = (
            FormattableString.Invariant($"{first.Price:0.00}"),
            FormattableString.Invariant($"{second.Price:0.00}")
        );
        Assert.Equal(
            $"{fee} a month; {a} a million operations above {first.From} million, {b} above {second.From} million (c)",
            bus[2]
        );
        Assert.Equal(
            Math.Round(fee + (second.From - first.From) * first.Price + (millions - second.From) * second.Price),
            Number(bus[1])
        );
        Assert.Equal(
            Math.Round(Hourly(Prices["database"]!["sizes"]!, "PostgreSQL B2s") * Hours),
            Number(Row("PostgreSQL B2s, ")[1])
        );
    }

    [Fact]
    public async Task What_is_priced_is_what_infra_makes()
    {
        var page = Read("docs/how-to/azure.md");
        var cluster = await BicepTemplate.PropertiesAsync("Microsoft.ContainerService/managedClusters");
        var system = cluster["agentPoolProfiles"]!.AsArray().Single(pool => $"{pool!["mode"]}" == "System")!;
        var (count, size) = ($"{Prices["cluster"]!["systemNodes"]}", $"{Prices["cluster"]!["systemNodeSize"]}");
        Assert.Equal((count, $"Standard_{size.Replace(' ', '_')}"), ($"{system["count"]}", $"{system["vmSize"]}"));
        Assert.Contains($"| {count} system nodes {size} |", page, StringComparison.Ordinal);

        var postgres = await BicepTemplate.PropertiesAsync("Microsoft.DBforPostgreSQL/flexibleServers");
        Assert.Contains(
            $"| PostgreSQL B2s, {postgres["storage"]!["storageSizeGB"]} GB |",
            page,
            StringComparison.Ordinal
        );
        var defaults = Read("infra/main.bicepparam");
        Assert.All(["'POSTGRES_SKU', 'Standard_B2s'", "'REDIS_SKU', 'Balanced_B1'"], it =>
            Assert.Contains(it, defaults, StringComparison.Ordinal)
        );
        var caches = Prices["redis"]!["sizes"]!
            .AsArray()
            .Select(it => $"{$"{it!["name"]}".Split(' ')[^1]} {it["gigabytes"]} GB");
        Assert.Contains($"({string.Join(", ", caches.Take(4))};", page, StringComparison.Ordinal);
    }

    private static double Hours => Number(Prices["hoursPerMonth"]);

    private static string[] Row(string part) =>
        Read("docs/how-to/azure.md")
            .Split('\n')
            .Single(line => line.StartsWith('|') && line.Contains(part, StringComparison.Ordinal))
            .Split('|', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);

    private static double Number(string cell) => double.Parse(cell.Split(' ')[0], CultureInfo.InvariantCulture);

    private static double Number(JsonNode? value) => value!.GetValue<double>();

    private static double Hourly(JsonNode sizes, string name) =>
        sizes.AsArray().Single(size => $"{size!["name"]}" == name)!["perHour"]!.GetValue<double>();
}
