using System.Diagnostics.Metrics;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>The broker's figures as a meter, for <c>dotnet-counters</c> and OpenTelemetry. They are read when somebody listens and asks,
/// and cost nothing otherwise.</summary>
internal sealed class BrokerMeter : IDisposable
{
    public const string Name = "DroneDelivery.LocalServiceBus";

    private readonly Meter _meter = new(Name);
    private readonly ServiceBusNamespace _entities;

    public BrokerMeter(ServiceBusNamespace entities, AmqpFrontEnd frontEnd)
    {
        _entities = entities;
        foreach (var metrics in QueueMetric.All.GroupBy(metric => metric.Name))
            Create([.. metrics]);
        _meter.CreateObservableGauge(
            $"{QueueMetric.Prefix}connections", () => frontEnd.ConnectionCount, "{connection}", "Open AMQP connections");
        _meter.CreateObservableCounter(
            $"{QueueMetric.Prefix}defects", () => entities.Defects.Count, "{defect}", "Exceptions in the broker itself");
    }

    public void Dispose() => _meter.Dispose();

    private void Create(QueueMetric[] metrics)
    {
        var (name, unit, help) = (metrics[0].Name, metrics[0].Unit, metrics[0].Help);
        if (metrics[0].IsTotal)
            _meter.CreateObservableCounter(name, () => Measure(metrics), unit, help);
        else
            _meter.CreateObservableGauge(name, () => Measure(metrics), unit, help);
    }

    private IEnumerable<Measurement<long>> Measure(QueueMetric[] metrics) =>
        MeasuredQueues.Of(_entities).SelectMany(queue => metrics.Select(metric => Measure(metric, queue)));

    private static Measurement<long> Measure(QueueMetric metric, (string Name, QueueCounts Counts) queue)
    {
        var tags = new List<KeyValuePair<string, object?>>
        {
            new(QueueMetric.System, QueueMetric.SystemName),
            new(QueueMetric.Destination, queue.Name),
        };
        if (metric.Tag is { } tag)
            tags.Add(new(tag.Name, tag.Value));
        return new Measurement<long>(metric.Read(queue.Counts), tags);
    }
}
