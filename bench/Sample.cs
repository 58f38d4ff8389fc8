using DroneDelivery.Model.Figures;

namespace DroneDelivery.Bench;

/// <summary>Repeated measurements of a metric, reported as median and range.</summary>
internal sealed class Sample
{
    private readonly List<double> _values = [];

    public void Add(double value) => _values.Add(value);

    public double Median => Percentiles.Median(_values);

    /// <summary>Returns the ratios of measurements from the same repetition, because a disturbance of the machine affects both.</summary>
    public Sample Over(Sample other)
    {
        var ratios = new Sample();
        ratios._values.AddRange(_values.Zip(other._values, (value, beside) => value / beside));
        return ratios;
    }

    public string Show(string format = "N0") =>
        $"{Median.ToString(format, null)} ({_values.Min().ToString(format, null)}–{_values.Max().ToString(format, null)})";
}
