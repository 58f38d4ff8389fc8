using System.Globalization;
using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Agreement;

public sealed partial class PriceTests
{
    private const double Hours = 730;

    [Fact]
    public void Monthly_price_is_the_hourly_price_times_730()
    {
        var rows = HourlyRow().Matches(Read("docs/how-to/azure.md"));

        Assert.Equal(6, rows.Count);
        Assert.All(rows, row =>
        {
            var count = row.Groups["count"].Success ? Number(row, "count") : 1;
            var storage = row.Groups["storage"].Success ? Number(row, "storage") * Number(row, "size") : 0;
            var expected = Number(row, "price") * count * Hours + storage;
            Assert.Equal(Math.Round(expected), Number(row, "month"));
        });
    }

    [Fact]
    public void The_bill_contains_the_logs_that_the_services_send()
    {
        var page = Read("docs/how-to/azure.md").ReplaceLineEndings(" ");
        var sizes = LogSizes().Match(page);
        var cap = LogRow().Match(Read("docs/how-to/azure.md"));
        var sampling = double.Parse(
            $"{Yaml.Documents(Read($"{HelmChart.Folder}/values-azure.yaml")).Single()["telemetry"]!["samplingRatio"]}",
            CultureInfo.InvariantCulture
        );
        var perDelivery = Number(sizes, "logs") + sampling * Number(sizes, "traces");
        var perHour = perDelivery * 80 * 3600 / 1e6;
        var costOfLogs = perHour * Number(cap, "price");
        var parts = MonthlyRow().Matches(Read("docs/how-to/azure.md")).Sum(row => Number(row, "month")) / Hours;
        var unsampled = (Number(sizes, "logs") + Number(sizes, "traces")) * 80 * 3600 / 1e6;

        Assert.Contains(
            $"'DAILY_LOG_CAP', '{cap.Groups["cap"].Value}'",
            Read("infra/main.bicepparam"),
            StringComparison.Ordinal
        );
        Assert.Equal(Math.Round(Number(cap, "cap") * Number(cap, "price") * Hours / 24), Number(cap, "month"));
        string[] claims =
        [
            $"`telemetry.samplingRatio` is {Text(sampling)} on Azure",
            $"that is {Text(perDelivery)} KB per delivery, {Text(perHour)} GB per hour",
            $"reached after {Text(Number(cap, "cap") / perHour)} hours of this load",
            $"All traces would be {Text(unsampled)} GB per hour",
            $"**{Text(parts + costOfLogs)} US dollars per hour** at stage 6: {Text(parts)} for the resources and {Text(costOfLogs)} for the logs",
        ];
        Assert.All(claims, claim => Assert.Contains(claim, page, StringComparison.Ordinal));

        static string Text(double number) => number.ToString("0.0", CultureInfo.InvariantCulture);
    }

    [Fact]
    public async Task Priced_parts_are_those_of_infra()
    {
        var page = Read("docs/how-to/azure.md");
        var cluster = await BicepTemplate.PropertiesAsync("Microsoft.ContainerService/managedClusters");
        var system = cluster["agentPoolProfiles"]!.AsArray().Single(pool => $"{pool!["mode"]}" == "System")!;
        var size = $"{system["vmSize"]}".Replace("Standard_", "", StringComparison.Ordinal).Replace('_', ' ');
        Assert.Contains($"| {system["count"]} system nodes {size} |", page, StringComparison.Ordinal);

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
    }

    private static double Number(Match match, string group) =>
        double.Parse(match.Groups[group].Value, CultureInfo.InvariantCulture);

    [GeneratedRegex(
        @"^\| (?:(?<count>\d+) )?[^|]*?(?:, (?<size>\d+) GB)? \| (?<month>\d+) \| (?<price>0\.\d+)(?:, and (?<storage>0\.\d+) per GB)?[^|]*\|$",
        RegexOptions.Multiline
    )]
    private static partial Regex HourlyRow();

    // Premium replaces Standard.
    [GeneratedRegex(@"^\| (?!or |logs)[^|]+ \| (?<month>\d+) \|", RegexOptions.Multiline)]
    private static partial Regex MonthlyRow();

    [GeneratedRegex(
        @"^\| logs, at most (?<cap>\d+) GB per day \| (?<month>\d+) \| (?<price>[\d.]+) per GB \|$",
        RegexOptions.Multiline
    )]
    private static partial Regex LogRow();

    [GeneratedRegex(@"sends (?<logs>[\d.]+) KB of events and log lines and (?<traces>[\d.]+) KB of traces")]
    private static partial Regex LogSizes();
}
