using System.Diagnostics.Metrics;
using System.Text.Json;
using System.Text.RegularExpressions;
using DroneDelivery.Ingestion;
using DroneDelivery.ServiceDefaults.Metrics;
using DroneDelivery.Testing;
using DroneDelivery.Workflow;
using DroneDelivery.Workflow.Holding;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>Every metric and every tag of the Grafana dashboard is one that a service has.</summary>
public sealed partial class DashboardTests
{
    private static readonly string[] OfPrometheus = ["le"];

    /// <summary>Every expression of every panel.</summary>
    public static TheoryData<string> Expressions => [.. Read().Distinct()];

    [Theory, MemberData(nameof(Expressions))]
    public void A_panel_asks_for_metrics_and_tags_that_there_are(string expression)
    {
        var metrics = Instruments().SelectMany(NamesInPrometheus).ToHashSet();
        var asked = Metric().Matches(By().Replace(expression, "")).Select(match => match.Value).ToList();

        Assert.NotEmpty(asked);
        Assert.All(asked, metric => Assert.Contains(metric, metrics));
        Assert.All(TagsOf(expression), tag => Assert.Contains(tag, Tags()));
    }

    [Fact]
    public void Every_instrument_is_on_the_dashboard()
    {
        var asked = string.Join('\n', Read());

        Assert.All(Instruments(), instrument =>
            Assert.Contains(NamesInPrometheus(instrument), name => asked.Contains(name, StringComparison.Ordinal)));
    }

    [Fact]
    public void Legends_name_tags_by_which_their_panel_groups()
    {
        foreach (var (expression, legend) in Targets())
            Assert.All(Legend().Matches(legend), match => Assert.Contains(match.Groups[1].Value, TagsOf(expression)));
    }

    /// <summary>As the exporter of OpenTelemetry names them.</summary>
    internal static IEnumerable<string> NamesInPrometheus(Instrument instrument)
    {
        var unit = instrument.Unit switch { "s" => "_seconds", "1" => "_ratio", _ => "" };
        var name = instrument.Name.Replace('.', '_') + unit;
        var kind = instrument.GetType().Name;
        return kind.StartsWith("Histogram", StringComparison.Ordinal) ? [$"{name}_bucket", $"{name}_sum", $"{name}_count"]
            : kind.Contains("Counter", StringComparison.Ordinal) ? [$"{name}_total"]
            : [name];
    }

    /// <summary>Of every class of metrics of the services and their libraries.</summary>
    private static List<Instrument> Instruments()
    {
        using var services = new ServiceCollection().AddMetrics().AddLogging().AddSingleton(TimeProvider.System)
            .AddSingleton<BackendOutage>().BuildServiceProvider();
        var factory = services.GetRequiredService<IMeterFactory>();
        var found = new List<Instrument>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (instrument.Meter.Scope == factory)
                found.Add(instrument);
        };
        listener.Start();
        var classes = new[] { typeof(CallMetrics), typeof(IngestionOptions), typeof(WorkflowOptions) }
            .SelectMany(type => type.Assembly.GetTypes())
            .Where(type => type is { IsClass: true, IsAbstract: false } && type.Name.EndsWith("Metrics", StringComparison.Ordinal)
                && type.GetConstructors().Any(it => it.GetParameters().Any(parameter => parameter.ParameterType == typeof(IMeterFactory))));
        foreach (var type in classes)
            ActivatorUtilities.CreateInstance(services, type);
        return found;
    }

    private static HashSet<string> Tags() =>
    [
        .. Tag().Matches(File.ReadAllText(Path.Combine(Repository.Root, "docs", "metrics.md")))
            .Select(match => match.Groups[1].Value.Replace('.', '_')),
    ];

    private static List<string> TagsOf(string expression) =>
    [
        .. By().Matches(expression).SelectMany(match => match.Groups[1].Value.Split(',', StringSplitOptions.TrimEntries))
            .Concat(Filter().Matches(expression).Select(match => match.Groups[1].Value))
            .Except(OfPrometheus),
    ];

    private static IEnumerable<string> Read() => Targets().Select(target => target.Expression);

    private static List<(string Expression, string Legend)> Targets()
    {
        using var json = JsonDocument.Parse(File.ReadAllText(Path.Combine(Repository.Root, "infra", "dashboards", "grafana.json")));
        return
        [
            .. from panel in json.RootElement.GetProperty("panels").EnumerateArray()
               from target in panel.GetProperty("targets").EnumerateArray()
               select (target.GetProperty("expr").GetString()!, target.GetProperty("legendFormat").GetString()!),
        ];
    }

    [GeneratedRegex(@"\b(?:drone_delivery|messaging|db)_\w+(?=[{\[)])")]
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
