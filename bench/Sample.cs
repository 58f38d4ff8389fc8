using DroneDelivery.Model.Figures;

namespace DroneDelivery.Bench;

/// <summary>Repeated measurements of one figure: reported as median and range, never as one number.</summary>
internal sealed class Sample
{
    private readonly List<double> _values = [];

    public void Add(double value) => _values.Add(value);

    public double Median => Percentiles.Median(_values);

    /// <summary>Ratios of measurements taken in the same repetition: a disturbance of the machine affects both.</summary>
    public Sample Over(Sample other)
    {
        var ratios = new Sample();
        ratios._values.AddRange(_values.Zip(other._values, (value, beside) => value / beside));
        return ratios;
    }

    public string Show(string format = "N0") =>
        $"{Median.ToString(format, null)} ({_values.Min().ToString(format, null)}–{_values.Max().ToString(format, null)})";
}
