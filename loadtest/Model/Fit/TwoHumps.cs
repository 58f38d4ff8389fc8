namespace DroneDelivery.Model.Fit;

/// <summary>Two normal distributions under one roof, with a valley between them.</summary>
/// <param name="First">Middle of the lower one.</param>
/// <param name="FirstShare">Of all values.</param>
/// <param name="Second">Middle of the higher one.</param>
public sealed record TwoHumps(double First, double FirstShare, double Second)
{
    private const int Bars = 200,
        Rounds = 300;

    /// <summary>The smaller hump has this share at least, and the valley at most this share of the lower peak.</summary>
    private const double SmallestShare = 0.03,
        DeepestValley = 0.8;

    /// <returns>Null: there is one hump, or none of two can be told from the other.</returns>
    public static TwoHumps? In(double[] sorted)
    {
        var (min, max) = (sorted[0], sorted[^1]);
        var width = (max - min) / Bars;
        if (width == 0)
            return null;
        var counts = new double[Bars];
        foreach (var value in sorted)
            counts[Math.Min(Bars - 1, (int)((value - min) / width))]++;
        var bars = counts
            .Select((count, i) => (At: min + (i + 0.5) * width, Count: count))
            .Where(bar => bar.Count > 0)
            .ToArray();
        var (a, b) = Fit(
            bars,
            sorted.Length,
            new(sorted[sorted.Length / 10], 0, 0.5),
            new(sorted[sorted.Length * 9 / 10], 0, 0.5),
            width
        );
        var (low, high) = a.Middle <= b.Middle ? (a, b) : (b, a);
        return Math.Min(low.Share, high.Share) >= SmallestShare && HasValley(low, high)
            ? new(low.Middle, low.Share, high.Middle)
            : null;
    }

    /// <summary>Expectation and maximization, on a histogram.</summary>
    private static (Hump, Hump) Fit((double At, double Count)[] bars, int count, Hump a, Hump b, double width)
    {
        var spread = Math.Max(width, (b.Middle - a.Middle) / 4);
        (a, b) = (a with { Deviation = spread }, b with { Deviation = spread });
        for (var round = 0; round < Rounds; round++)
        {
            var (sums, others) = (new Sums(), new Sums());
            foreach (var (at, number) in bars)
            {
                var (first, second) = (a.Density(at), b.Density(at));
                var share =
                    first + second > 0 ? first / (first + second)
                    : Math.Abs(at - a.Middle) < Math.Abs(at - b.Middle) ? 1
                    : 0;
                sums.Add(at, number * share);
                others.Add(at, number * (1 - share));
            }

            (a, b) = (sums.Hump(count, width), others.Hump(count, width));
        }

        return (a, b);
    }

    private static bool HasValley(Hump low, Hump high)
    {
        double Both(double at) => low.Density(at) + high.Density(at);
        var steps = Enumerable
            .Range(0, 101)
            .Select(step => low.Middle + (high.Middle - low.Middle) * step / 100)
            .Select(Both)
            .ToList();
        var lowest = steps.IndexOf(steps.Min());
        var lowerPeak = Math.Min(steps.Take(lowest + 1).Max(), steps.Skip(lowest).Max());
        return steps[lowest] < DeepestValley * lowerPeak;
    }

    private readonly record struct Hump(double Middle, double Deviation, double Share)
    {
        public double Density(double at)
        {
            var z = (at - Middle) / Deviation;
            return Share / Deviation * Math.Exp(-z * z / 2);
        }
    }

    private sealed class Sums
    {
        private double _weight,
            _sum,
            _squares;

        public void Add(double at, double weight)
        {
            _weight += weight;
            _sum += weight * at;
            _squares += weight * at * at;
        }

        public Hump Hump(int count, double width)
        {
            if (_weight <= 0)
                return new(0, width, 0);
            var middle = _sum / _weight;
            return new(
                middle,
                Math.Max(width, Math.Sqrt(Math.Max(0, _squares / _weight - middle * middle))),
                _weight / count
            );
        }
    }
}
