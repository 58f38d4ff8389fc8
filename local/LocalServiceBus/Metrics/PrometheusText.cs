using System.Globalization;
using System.Text;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>The broker's figures in the text format that Prometheus scrapes (version 0.0.4).</summary>
internal static class PrometheusText
{
    public const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    public static string Of(ServiceBusNamespace entities, AmqpFrontEnd frontEnd)
    {
        var text = new StringBuilder();
        var queues = MeasuredQueues.Of(entities).ToList();
        foreach (var metrics in QueueMetric.All.GroupBy(metric => metric.Name))
            Write(text, [.. metrics], queues);
        Write(text, $"{QueueMetric.Prefix}connections", "Open AMQP connections", frontEnd.ConnectionCount, isTotal: false);
        Write(text, $"{QueueMetric.Prefix}defects", "Exceptions in the broker itself", entities.Defects.Count, isTotal: true);
        // As OpenTelemetry calls it. The runtime's own meter has it for other listeners.
        const string Allocated = "dotnet.gc.heap.total_allocated.bytes";
        Write(text, Allocated, "Allocated by the process, garbage included", GC.GetTotalAllocatedBytes(), isTotal: true);
        var left = entities.Sources.Count() - queues.Count;
        Write(text, $"{QueueMetric.Prefix}queues.not_shown", "Queues beyond those that are shown here", left, isTotal: false);
        return text.ToString();
    }

    /// <summary>As a value of a label.</summary>
    internal static string Escape(string value) => value
        .Replace("\\", "\\\\", StringComparison.Ordinal)
        .Replace("\"", "\\\"", StringComparison.Ordinal)
        .Replace("\n", "\\n", StringComparison.Ordinal);

    private static void Write(StringBuilder text, QueueMetric[] metrics, IReadOnlyList<(string Name, QueueCounts Counts)> queues)
    {
        var name = Begin(text, metrics[0].Name + (metrics[0].Unit == "By" ? ".bytes" : ""), metrics[0].Help, metrics[0].IsTotal);
        foreach (var queue in queues)
        {
            foreach (var metric in metrics)
            {
                text.Append(name).Append('{');
                Label(text, QueueMetric.System, QueueMetric.SystemName).Append(',');
                Label(text, QueueMetric.Destination, queue.Name);
                if (metric.Tag is { } tag)
                    Label(text.Append(','), tag.Name, tag.Value);
                Value(text.Append('}'), metric.Read(queue.Counts));
            }
        }
    }

    private static void Write(StringBuilder text, string name, string help, long value, bool isTotal) =>
        Value(text.Append(Begin(text, name, help, isTotal)), value);

    /// <returns>The name as Prometheus has it.</returns>
    private static string Begin(StringBuilder text, string name, string help, bool isTotal)
    {
        var own = NameOf(name) + (isTotal ? "_total" : "");
        text.Append("# HELP ").Append(own).Append(' ').Append(help).Append(".\n");
        text.Append("# TYPE ").Append(own).Append(isTotal ? " counter\n" : " gauge\n");
        return own;
    }

    private static StringBuilder Label(StringBuilder text, string name, string value) =>
        text.Append(NameOf(name)).Append("=\"").Append(Escape(value)).Append('"');

    private static void Value(StringBuilder text, long value) =>
        text.Append(' ').Append(value.ToString(CultureInfo.InvariantCulture)).Append('\n');

    private static string NameOf(string name) => name.Replace('.', '_');
}
