using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Model;

/// <summary>A distribution of durations, in milliseconds.</summary>
public abstract record Times
{
    public abstract double Mean { get; }

    /// <summary>Returns the distribution with longer durations.</summary>
    public abstract Times Longer(double factor);

    internal abstract double Next(RandomSource random);

    public static implicit operator Times(double milliseconds) => new FixedTime(milliseconds);
}

public sealed record FixedTime(double Milliseconds) : Times
{
    public override double Mean => Milliseconds;

    public override Times Longer(double factor) => new FixedTime(factor * Milliseconds);

    internal override double Next(RandomSource random) => Milliseconds;
}

/// <summary>The exponential distribution, which most formulas of queueing theory assume.</summary>
public sealed record ExponentialTime(double Milliseconds) : Times
{
    public override double Mean => Milliseconds;

    public override Times Longer(double factor) => new ExponentialTime(factor * Milliseconds);

    internal override double Next(RandomSource random) => Milliseconds * random.NextExponential();
}

/// <summary>The empirical distribution of measured durations.</summary>
public sealed record MeasuredTime(IReadOnlyList<double> Milliseconds) : Times
{
    public override double Mean => Milliseconds.Average();

    public override Times Longer(double factor) =>
        new MeasuredTime([.. Milliseconds.Select(sample => factor * sample)]);

    internal override double Next(RandomSource random) => Milliseconds[random.NextIndex(Milliseconds.Count)];
}
