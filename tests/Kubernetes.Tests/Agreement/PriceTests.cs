using System.Globalization;
using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Agreement;

public sealed partial class PriceTests
{
    private const string Page = "docs/reference/azure-resources.md";

    private const double Hours = 730;

    [Fact]
    public void Monthly_price_is_the_hourly_price_times_730()
    {
        var rows = HourlyRow().Matches(Read(Page));

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
    public void Bill_includes_the_logs_of_the_services()
    {
        var page = Read(Page).ReplaceLineEndings(" ");
        var sizes = LogSizes().Match(page);
        var cap = LogRow().Match(Read(Page));
        var sampling = double.Parse(
            $"{Yaml.Documents(Read($"{HelmChart.Folder}/values-azure.yaml")).Single()["telemetry"]!["samplingRatio"]}",
            CultureInfo.InvariantCulture
        );
        var perDelivery = Number(sizes, "logs") + sampling * Number(sizes, "traces");
        var perHour = perDelivery * 80 * 3600 / 1e6;
        var costOfLogs = perHour * Number(cap, "price");
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
            $"this amounts to {Text(perDelivery)} KB per delivery, or {Text(perHour)} GB per hour of stage 6",
            $"reached after {Text(Number(cap, "cap") / perHour)} hours of this load",
            $"Without sampling, it would be {Text(unsampled)} GB per hour",
            $"and {Text(costOfLogs)} for the logs of 80 messages per second",
        ];
        Assert.All(claims, claim => Assert.Contains(claim, page, StringComparison.Ordinal));
    }

    [Fact]
    public void Costs_of_the_default_deployment_and_stage_6_match_the_page()
    {
        var page = Read(Page);
        var parts = MonthlyRow().Matches(page).Sum(row => Number(row, "month"));
        var nodes = NodeRow().Match(page);
        var disks = DiskRow().Match(page);
        var more = SimulatedCluster.Nodes - Number(nodes, "count");
        var hour = parts / Hours + more * (Number(nodes, "price") + Number(disks, "price") / Hours);
        const double MillionOperations = 3 * 80 * 3600 / 1e6;
        var logs = LogsOfStage().Match(page.ReplaceLineEndings(" "));

        Assert.Equal(Math.Round(Number(disks, "count") * Number(disks, "price")), Number(disks, "month"));
        string[] claims =
        [
            $"costs about **{parts} US dollars per month**",
            $"costs about **{Text(hour + 0.80 * MillionOperations + Number(logs, "cost"))}** US dollars",
            $"{Text(hour)} for the resources ({SimulatedCluster.Nodes} nodes)",
            $"{Text(0.80 * MillionOperations)} for {Text(MillionOperations)} million operations",
            $"after the first {Math.Floor(13 / MillionOperations)} hours of a month",
        ];
        Assert.All(claims, claim => Assert.Contains(claim, page.ReplaceLineEndings(" "), StringComparison.Ordinal));
    }

    /// <summary>Emails without a cause train people to ignore them.</summary>
    [Fact]
    public void Default_deployment_stays_within_the_budget()
    {
        var page = Read(Page);
        var parts = MonthlyRow().Matches(page).Sum(row => Number(row, "month"));
        var budget = double.Parse(
            Regex.Match(Read("infra/main.bicepparam"), @"'MONTHLY_BUDGET', '(\d+)'").Groups[1].Value,
            CultureInfo.InvariantCulture
        );

        Assert.Contains("[80, 100]", Read("infra/modules/budget.bicep"), StringComparison.Ordinal);
        Assert.Contains(
            $"80% and 100% of `MONTHLY_BUDGET` ({budget})",
            page.ReplaceLineEndings(" "),
            StringComparison.Ordinal
        );
        Assert.InRange(parts, 0, 0.8 * budget);
        Assert.InRange(parts + Number(LogRow().Match(page), "month"), 0.8 * budget, budget);
    }

    [Fact]
    public void Redis_holds_as_many_deliveries_as_the_lab_predicts()
    {
        var page = Read(Page).ReplaceLineEndings(" ");
        var size = double.Parse(
            Regex
                .Match(Read("loadtest/Lab/Predict/Planning/RedisMemory.cs"), @"BytesOfDelivery = (\d+)")
                .Groups[1]
                .Value,
            CultureInfo.InvariantCulture
        );
        var deliveries = 1e9 / size;

        Assert.Contains("B1 1 GB", Read("docs/how-to/azure.md"), StringComparison.Ordinal);
        Assert.Matches(
            $@"\*\*Redis\*\* B1 \(1 GB\) has memory for about {Text(deliveries / 1e6)} million deliveries of {Text(size / 1000)} KB: "
                + $@"{Text(deliveries / 80 / 3600)} hours, or {Math.Floor(deliveries / 80 / 480)} load tests of 8 minutes",
            page
        );
    }

    [Fact]
    public async Task Every_resource_has_a_price_or_is_free()
    {
        Dictionary<string, string> lines = new()
        {
            ["Microsoft.ContainerService/managedClusters"] = "AKS",
            ["Microsoft.ServiceBus/namespaces"] = "Service Bus",
            ["Microsoft.Cache/redisEnterprise"] = "Redis",
            ["Microsoft.DBforPostgreSQL/flexibleServers"] = "PostgreSQL",
            ["Microsoft.ContainerRegistry/registries"] = "registry",
            ["Microsoft.OperationalInsights/workspaces"] = "logs",
            ["Microsoft.Insights/components"] = "logs",
            ["Microsoft.Insights/scheduledQueryRules"] = "alerts",
            ["Microsoft.Insights/metricAlerts"] = "alerts",
        };
        string[] free =
        [
            "Microsoft.Resources/resourceGroups",
            "Microsoft.Consumption/budgets",
            "Microsoft.Authorization/roleAssignments",
            "Microsoft.ManagedIdentity/userAssignedIdentities",
            "Microsoft.Insights/dataCollectionRules",
            "Microsoft.Insights/dataCollectionRuleAssociations",
            "Microsoft.Insights/actionGroups",
        ];
        // Other types are children of these.
        var types = (await BicepTemplate.TypesAsync()).Where(type => type.Count(c => c == '/') == 1);

        Assert.Equal(lines.Keys.Concat(free).Order(StringComparer.Ordinal), types.Order(StringComparer.Ordinal));
        var page = Read(Page);
        Assert.All(lines.Values, line => Assert.Matches($@"(?m)^\| [^|]*\b{line}\b[^|]*\|\s*\d*\s*\|", page));
    }

    [Fact]
    public async Task Prices_are_for_the_deployed_sizes()
    {
        var page = Read(Page);
        var cluster = await BicepTemplate.PropertiesAsync("Microsoft.ContainerService/managedClusters");
        var system = cluster["agentPoolProfiles"]!.AsArray().Single(pool => $"{pool!["mode"]}" == "System")!;
        var size = $"{system["vmSize"]}".Replace("Standard_", "", StringComparison.Ordinal).Replace('_', ' ');
        Assert.Contains($"| {system["count"]} system nodes {size} |", page, StringComparison.Ordinal);

        Assert.All(cluster["agentPoolProfiles"]!.AsArray(), pool =>
            Assert.Equal("[variables('osDiskSize')]", $"{pool!["osDiskSizeGB"]}")
        );
        Assert.Contains(
            $"var osDiskSize = {DiskRow().Match(page).Groups["size"].Value}\n",
            Read("infra/modules/cluster.bicep"),
            StringComparison.Ordinal
        );

        var defaults = Read("infra/main.bicepparam");
        var disk = Regex.Match(defaults, @"'POSTGRES_STORAGE', '(\d+)'").Groups[1].Value;
        Assert.Contains($"| PostgreSQL B2s, {disk} GB |", page, StringComparison.Ordinal);
        Assert.All(["'POSTGRES_SKU', 'Standard_B2s'", "'REDIS_SKU', 'Balanced_B1'"], it =>
            Assert.Contains(it, defaults, StringComparison.Ordinal)
        );
    }

    private static string Text(double number) => number.ToString("0.0", CultureInfo.InvariantCulture);

    private static double Number(Match match, string group) =>
        double.Parse(match.Groups[group].Value, CultureInfo.InvariantCulture);

    [GeneratedRegex(
        @"^\| (?:(?<count>\d+) )?[^|]*?(?:, (?<size>\d+) GB)? \| (?<month>\d+) \| (?<price>0\.\d+)(?:, and (?<storage>0\.\d+) per GB)?[^|]*\|$",
        RegexOptions.Multiline
    )]
    private static partial Regex HourlyRow();

    [GeneratedRegex(@"^\| (?<count>\d+) nodes [^|]+ \| \d+ \| (?<price>0\.\d+) \|$", RegexOptions.Multiline)]
    private static partial Regex NodeRow();

    [GeneratedRegex(
        @"^\| (?<count>\d+) disks P10 of the nodes, (?<size>\d+) GB \| (?<month>\d+) \| (?<price>[\d.]+) per month",
        RegexOptions.Multiline
    )]
    private static partial Regex DiskRow();

    [GeneratedRegex(@"and (?<cost>[\d.]+) for the logs of 80 messages per second")]
    private static partial Regex LogsOfStage();

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
