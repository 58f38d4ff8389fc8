using System.Diagnostics.Metrics;
using System.Text.Json;
using System.Text.RegularExpressions;
using DroneDelivery.Ingestion;
using DroneDelivery.Package;
using DroneDelivery.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed partial class DashboardTests
{
    private static readonly string[] OfPrometheus = ["le", "job"];

    [Fact]
    public async Task Panels_query_exactly_the_instruments_of_the_services()
    {
        var instruments = await InstrumentsAsync();
        var metrics = instruments
            .SelectMany(NamesInPrometheus)
            .Append("http_client_request_duration_seconds_count")
            .Append("http_client_request_duration_seconds_bucket")
            .Append("http_server_request_duration_seconds_count")
            .ToHashSet();
        foreach (var expression in Read())
        {
            var asked = Metric().Matches(By().Replace(expression, "")).Select(match => match.Value).ToList();
            Assert.NotEmpty(asked);
            Assert.All(asked, metric => Assert.Contains(metric, metrics));
            Assert.All(TagsOf(expression), tag => Assert.Contains(tag, Tags()));
        }
        var all = string.Join('\n', Read());
        Assert.All(instruments, instrument =>
            Assert.Contains(NamesInPrometheus(instrument), name => all.Contains(name, StringComparison.Ordinal))
        );
    }

    [Fact]
    public void Legends_use_only_tags_by_which_their_panel_groups()
    {
        foreach (var (expression, legend) in Targets())
            Assert.All(Legend().Matches(legend), match => Assert.Contains(match.Groups[1].Value, TagsOf(expression)));
    }

    /// <summary>Returns the names that the OpenTelemetry exporter uses.</summary>
    internal static IEnumerable<string> NamesInPrometheus(Instrument instrument)
    {
        var unit = instrument.Unit switch
        {
            "s" => "_seconds",
            "1" => "_ratio",
            _ => "",
        };
        var name = instrument.Name.Replace('.', '_') + unit;
        var kind = instrument.GetType().Name;
        return kind.StartsWith("Histogram", StringComparison.Ordinal)
                ? [$"{name}_bucket", $"{name}_sum", $"{name}_count"]
            : kind.Contains("Counter", StringComparison.Ordinal) ? [$"{name}_total"]
            : [name];
    }

    private static async Task<List<Instrument>> InstrumentsAsync()
    {
        using var folder = new TemporaryFolder();
        await using var workflow = await WorkflowUnderTest.StartAsync();
        await using var ingestion = ServiceHost<DeliveryQueue>.Start(
            workflow.Queue.Settings.And(workflow.Backends.Settings)
        );
        await using var package = ServiceHost<PackageStore>.Start(folder.SqliteSettings);
        IMeterFactory[] factories =
        [
            .. new[] { workflow.Host.Services, ingestion.Services, package.Services }.Select(services =>
                services.GetRequiredService<IMeterFactory>()
            ),
        ];
        var found = new List<Instrument>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (
                factories.Contains(instrument.Meter.Scope)
                && instrument.Meter.Name.StartsWith("DroneDelivery", StringComparison.Ordinal)
            )
            {
                found.Add(instrument);
            }
        };
        listener.Start();
        return [.. found.DistinctBy(instrument => instrument.Name)];
    }

    private static HashSet<string> Tags() =>
        [
            .. Tag()
                .Matches(File.ReadAllText(Path.Combine(Repository.Root, "docs", "reference", "metrics.md")))
                .Select(match => match.Groups[1].Value.Replace('.', '_')),
        ];

    private static List<string> TagsOf(string expression) =>
        [
            .. By()
                .Matches(expression)
                .SelectMany(match => match.Groups[1].Value.Split(',', StringSplitOptions.TrimEntries))
                .Concat(Filter().Matches(expression).Select(match => match.Groups[1].Value))
                .Except(OfPrometheus),
        ];

    private static IEnumerable<string> Read() => Targets().Select(target => target.Expression);

    private static List<(string Expression, string Legend)> Targets()
    {
        using var json = JsonDocument.Parse(
            File.ReadAllText(Path.Combine(Repository.Root, "infra", "dashboards", "grafana.json"))
        );
        return
        [
            .. from panel in json.RootElement.GetProperty("panels").EnumerateArray()
            from target in panel.GetProperty("targets").EnumerateArray()
            select (target.GetProperty("expr").GetString()!, target.GetProperty("legendFormat").GetString()!),
        ];
    }

    [GeneratedRegex(@"\b(?:drone_delivery|messaging|db|http_client|http_server)_\w+(?=[{\[)])")]
    private static partial Regex Metric();

    [GeneratedRegex(@"by \(([^)]*)\)")]
    private static partial Regex By();

    [GeneratedRegex(@"[{,]\s*(\w+)\s*(?:=|!)")]
    private static partial Regex Filter();

    [GeneratedRegex(@"\{\{(\w+)\}\}")]
    private static partial Regex Legend();

    [GeneratedRegex("`([a-z_]+(?:\\.[a-z_]+)+)`")]
    private static partial Regex Tag();
}
