using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// The measurements of one host's meters. Other hosts in this process have meters with the same names.
/// </summary>
internal sealed class RecordedMetrics : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentQueue<(string Name, double Value, string Tags)> _measurements = new();

    public RecordedMetrics(IMeterFactory host)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (
                instrument.Meter.Scope == host
                && instrument.Meter.Name.StartsWith("DroneDelivery.", StringComparison.Ordinal)
            )
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Keep(instrument, value, tags));
        _listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Keep(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Keep(instrument, value, tags));
        _listener.Start();
    }

    public void Observe() => _listener.RecordObservableInstruments();

    /// <summary>Returns the tags of each measurement of an instrument: <c>NAME=VALUE …</c>.</summary>
    public IReadOnlyList<string> Of(string name) =>
        [.. _measurements.Where(measured => measured.Name == name).Select(measured => measured.Tags)];

    public IReadOnlyList<double> ValuesOf(string name) =>
        [.. _measurements.Where(measured => measured.Name == name).Select(measured => measured.Value)];

    public void Dispose() => _listener.Dispose();

    private void Keep(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var text = new List<string>();
        foreach (var tag in tags)
            text.Add($"{tag.Key}={tag.Value}");
        _measurements.Enqueue((instrument.Name, value, string.Join(" ", text)));
    }
}
