using System.Diagnostics.Metrics;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Metrics;

/// <summary>The broker's metrics as a meter, for <c>dotnet-counters</c> and OpenTelemetry. They are read when somebody listens and asks,
/// and cost nothing otherwise.</summary>
internal sealed class BrokerMeter : IDisposable
{
    public const string Name = "DroneDelivery.LocalServiceBus";

    private readonly Meter _meter = new(Name);

    public BrokerMeter(ServiceBusNamespace entities, AmqpFrontEnd frontEnd)
    {
        foreach (var metric in BrokerMetric.All)
        {
            IEnumerable<Measurement<long>> Read() =>
                metric.Read(BrokerCounts.Of(entities, frontEnd, BrokerMetric.MaxQueues));
            if (metric.IsTotal)
                _meter.CreateObservableCounter(metric.Name, Read, metric.Unit, metric.Help);
            else
                _meter.CreateObservableGauge(metric.Name, Read, metric.Unit, metric.Help);
        }
    }

    public void Dispose() => _meter.Dispose();
}
