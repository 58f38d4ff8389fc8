using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Model;

/// <summary>How long something takes: a distribution of milliseconds.</summary>
public abstract record Times
{
    public abstract double Mean { get; }

    /// <summary>All of it so many times as long.</summary>
    public abstract Times Longer(double factor);

    internal abstract double Next(Chance chance);

    public static implicit operator Times(double milliseconds) => new FixedTime(milliseconds);
}

/// <summary>Always the same.</summary>
public sealed record FixedTime(double Milliseconds) : Times
{
    public override double Mean => Milliseconds;

    public override Times Longer(double factor) => new FixedTime(factor * Milliseconds);

    internal override double Next(Chance chance) => Milliseconds;
}

/// <summary>Without memory, as in most formulas of queueing theory.</summary>
public sealed record ExponentialTime(double Milliseconds) : Times
{
    public override double Mean => Milliseconds;

    public override Times Longer(double factor) => new ExponentialTime(factor * Milliseconds);

    internal override double Next(Chance chance) => Milliseconds * chance.NextExponential();
}

/// <summary>One of some that were measured, each as likely as the others.</summary>
public sealed record MeasuredTime(IReadOnlyList<double> Milliseconds) : Times
{
    public override double Mean => Milliseconds.Average();

    public override Times Longer(double factor) => new MeasuredTime([.. Milliseconds.Select(it => factor * it)]);

    internal override double Next(Chance chance) => Milliseconds[chance.NextIndex(Milliseconds.Count)];
}
