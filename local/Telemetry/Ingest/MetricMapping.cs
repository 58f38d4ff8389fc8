using System.Globalization;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>One row per data point. Performance counters travel as metrics that are named like a Windows counter path.</summary>
internal sealed class MetricMapping : RowMapping
{
    private readonly int _name,
        _value,
        _count,
        _sum,
        _min,
        _max,
        _deviation;
    private readonly CounterMapping _counters;

    public MetricMapping(Table metrics, Table counters)
        : base(metrics, "customMetric")
    {
        (_name, _value, _count, _sum) = (
            ColumnOf("name"),
            ColumnOf("value"),
            ColumnOf("valueCount"),
            ColumnOf("valueSum")
        );
        (_min, _max, _deviation) = (ColumnOf("valueMin"), ColumnOf("valueMax"), ColumnOf("valueStdDev"));
        _counters = new(counters);
    }

    public override void Write(Envelope item)
    {
        foreach (var point in Read(item[EnvelopeField.Metrics], Points))
        {
            if (point.Name.StartsWith('\\'))
                _counters.Write(item, point);
            else
                Write(item, point);
        }
    }

    private void Write(Envelope item, Point point)
    {
        WriteCommon(item);
        Table.Text(_name, point.Name);
        Table.Real(_value, point.Value);
        Table.Real(_sum, point.Value);
        Table.Whole(_count, (long)point.Count);
        Table.Real(_min, point.Min);
        Table.Real(_max, point.Max);
        Table.Real(_deviation, point.Deviation);
        Table.EndRow();
    }

    private static IEnumerable<Point> Points(IEnumerable<JsonElement> metrics) =>
        metrics.Where(metric => metric.ValueKind == JsonValueKind.Object).Select(ReadPoint);

    private static Point ReadPoint(JsonElement metric)
    {
        var name =
            metric.TryGetProperty("name", out var text) && text.ValueKind == JsonValueKind.String
                ? text.GetString()!
                : "";
        var value = Number(metric, "value") ?? 0;
        return new(
            name,
            value,
            Number(metric, "count") ?? 1,
            Number(metric, "min") ?? value,
            Number(metric, "max") ?? value,
            Number(metric, "stdDev") ?? 0
        );
    }

    // NaN and infinity come as strings.
    private static double? Number(JsonElement metric, string name)
    {
        if (!metric.TryGetProperty(name, out var value))
            return null;
        return value.ValueKind switch
        {
            JsonValueKind.Number => value.GetDouble(),
            JsonValueKind.String
                when double.TryParse(
                    value.GetString(),
                    NumberStyles.Float,
                    CultureInfo.InvariantCulture,
                    out var number
                ) => number,
            _ => null,
        };
    }

    private readonly record struct Point(
        string Name,
        double Value,
        double Count,
        double Min,
        double Max,
        double Deviation
    );

    private sealed class CounterMapping(Table table) : RowMapping(table, "performanceCounter")
    {
        private readonly int _name = table.Schema.IndexOf("name"),
            _value = table.Schema.IndexOf("value");
        private readonly int _category = table.Schema.IndexOf("category"),
            _counter = table.Schema.IndexOf("counter");
        private readonly int _instance = table.Schema.IndexOf("instance");

        /// <summary>Takes <c>\Category(instance)\Counter</c> apart.</summary>
        public void Write(Envelope item, Point point)
        {
            var path = point.Name;
            var split = path.IndexOf('\\', 1);
            var (category, counter) = split < 0 ? (path[1..], "") : (path[1..split], path[(split + 1)..]);
            var open = category.IndexOf('(');
            WriteCommon(item);
            Table.Text(_name, counter);
            Table.Real(_value, point.Value);
            Table.Text(_category, open < 0 ? category : category[..open]);
            Table.Text(_counter, counter);
            Table.Text(_instance, open < 0 ? "" : category[(open + 1)..].TrimEnd(')'));
            Table.EndRow();
        }
    }
}
