namespace DroneDelivery.Model.Fit;

/// <summary>A log-normal distribution fitted to measured times, and how well it describes them.</summary>
public sealed record LogNormalFit
{
    /// <summary>Fewer times say too little about a distribution.</summary>
    public const int Fewest = 30;

    /// <summary>Distances up to this one change no figure of the model by more than a few percent.</summary>
    public const double CloseEnough = 0.08;

    // Of a sample whose mean and deviation were fitted (Lilliefors): 95 of 100 stay below it, divided by the root of their number.
    private const double UsualDistance = 0.886;

    // The same of 99 in 100: who warns more often warns of nothing.
    private const double SureDistance = 1.035;

    private const double Normal95 = 1.96,
        Normal99 = 2.326;

    // A 99th percentile that is further off than this is a tail of another kind.
    private const double HeavyTail = 1.25;
    private const int EnoughForTail = 200;

    // All times are the same: nothing is distributed.
    private const double SameTime = 1e-9;

    public required LogNormal Distribution { get; init; }

    public required int Count { get; init; }

    /// <summary>Kolmogorov and Smirnov: the largest difference between measured and fitted share of times below any limit.</summary>
    public required double Distance { get; init; }

    /// <summary>What a log-normal sample of this size stays below in 95 of 100 cases.</summary>
    public double Usual => UsualDistance / Math.Sqrt(Count);

    /// <summary>Half the width of the interval in which mu is with a probability of 95 %.</summary>
    public double MuError => Normal95 * Distribution.Sigma / Math.Sqrt(Count);

    /// <summary>The same of sigma.</summary>
    public double SigmaError => MuError / Math.Sqrt(2);

    /// <summary>What is wrong with the shape, in a sentence; null: nothing that matters.</summary>
    public required string? Warning { get; init; }

    /// <summary>How good it is, in a sentence.</summary>
    public string Verdict =>
        Warning
        ?? (
            Distance <= Usual
                ? "A log-normal sample of this size looks like this."
                : "Not exactly log-normal, and close enough for the model."
        );

    /// <param name="milliseconds">At least <see cref="Fewest"/>, all above 0.</param>
    public static LogNormalFit Of(IEnumerable<double> milliseconds)
    {
        double[] sorted = [.. milliseconds.Select(time => Math.Log(time)).Order()];
        var mean = sorted.Average();
        var sigma = Math.Sqrt(sorted.Sum(ln => (ln - mean) * (ln - mean)) / (sorted.Length - 1));
        var distance = DistanceOf(sorted, mean, sigma);
        return new()
        {
            Distribution = new(mean, sigma),
            Count = sorted.Length,
            Distance = distance,
            Warning = WarningOf(sorted, mean, sigma, distance),
        };
    }

    private static string? WarningOf(double[] sorted, double mean, double sigma, double distance)
    {
        var sure = SureDistance / Math.Sqrt(sorted.Length);
        if (distance <= sure)
            return null;
        var (measured, fitted) = (Math.Exp(sorted[(int)(0.99 * sorted.Length)]), Math.Exp(mean + Normal99 * sigma));
        if (sorted.Length >= EnoughForTail && measured > HeavyTail * fitted)
            return $"A heavy tail: the 99th percentile is {measured:0.#} ms, and the log-normal has {fitted:0.#} ms.";
        return distance > CloseEnough
            ? $"Not log-normal: the shares of times below a limit differ by up to {distance:0.00}."
            : null;
    }

    private static double DistanceOf(double[] sorted, double mean, double sigma)
    {
        if (sigma < SameTime)
            return 0;
        var most = 0.0;
        for (var i = 0; i < sorted.Length; i++)
        {
            var share = NormalShare((sorted[i] - mean) / sigma);
            most = Math.Max(most, Math.Max(share - (double)i / sorted.Length, (i + 1.0) / sorted.Length - share));
        }

        return most;
    }

    /// <summary>Share of a standard normal distribution below x (Abramowitz and Stegun 7.1.26, to 1.5e-7).</summary>
    private static double NormalShare(double x)
    {
        var z = Math.Abs(x) / Math.Sqrt(2);
        var t = 1 / (1 + 0.3275911 * z);
        var sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
        var below = 1 - sum * Math.Exp(-z * z) / 2;
        return x < 0 ? 1 - below : below;
    }
}
