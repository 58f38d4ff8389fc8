using System.Globalization;
using System.Text;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>The broker's metrics in the text format that Prometheus scrapes (version 0.0.4).</summary>
internal static class PrometheusText
{
    public const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    // As OpenTelemetry calls it. The runtime's own meter has it for other listeners.
    private static readonly BrokerMetric Allocated = new(
        "dotnet.gc.heap.total_allocated",
        "By",
        "Allocated by the process, garbage included",
        IsTotal: true,
        _ => [new(GC.GetTotalAllocatedBytes())]
    );

    public static string Of(ServiceBusNamespace entities, AmqpFrontEnd frontEnd)
    {
        var text = new StringBuilder();
        var counts = BrokerCounts.Of(entities, frontEnd, BrokerMetric.MaxQueues);
        foreach (var metric in BrokerMetric.All.Append(Allocated))
        {
            var name = NameOf(metric.Name) + (metric.Unit == "By" ? "_bytes" : "") + (metric.IsTotal ? "_total" : "");
            text.Append("# HELP ").Append(name).Append(' ').Append(metric.Help).Append(".\n");
            text.Append("# TYPE ").Append(name).Append(metric.IsTotal ? " counter\n" : " gauge\n");
            foreach (var measurement in metric.Read(counts))
            {
                Labels(text.Append(name), measurement.Tags)
                    .Append(CultureInfo.InvariantCulture, $" {measurement.Value}\n");
            }
        }
        return text.ToString();
    }

    /// <summary>As a value of a label.</summary>
    internal static string Escape(string value) =>
        value
            .Replace("\\", "\\\\", StringComparison.Ordinal)
            .Replace("\"", "\\\"", StringComparison.Ordinal)
            .Replace("\n", "\\n", StringComparison.Ordinal);

    private static StringBuilder Labels(StringBuilder text, ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        tags.IsEmpty
            ? text
            : text.Append('{')
                .AppendJoin(',', tags.ToArray().Select(tag => $"{NameOf(tag.Key)}=\"{Escape($"{tag.Value}")}\""))
                .Append('}');

    private static string NameOf(string name) => name.Replace('.', '_');
}
