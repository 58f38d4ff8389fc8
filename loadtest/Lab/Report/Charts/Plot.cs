namespace DroneDelivery.Lab.Report;

/// <summary>Where a chart draws: the rectangle between its axes, in the units of the drawing, and the scales of both.</summary>
internal sealed class Plot
{
    private const double Top = 34, Bottom = 30, LeftEdge = 46;

    public Plot(LineChart chart)
    {
        (Width, Height) = chart.IsWide ? (760, 300) : (560, 250);
        Area = new(LeftEdge, Top, Width - LeftEdge - (chart.IsWide ? 62 : 14), Height - Top - Bottom);
        X = Scale.OfTime(chart.XMax, Area.Width);
        Y = Scale.OfValues(chart.YMax, Area.Height);
    }

    public double Width { get; }

    public double Height { get; }

    public Rectangle Area { get; }

    public Scale X { get; }

    public Scale Y { get; }

    public double Right => Area.Left + Area.Width;

    public double Floor => Area.Top + Area.Height;

    /// <summary>In the drawing.</summary>
    public double AtX(double seconds) => Area.Left + X.Pixels(seconds);

    /// <summary>In the drawing.</summary>
    public double AtY(double value) => Floor - Y.Pixels(value);
}

internal readonly record struct Rectangle(double Left, double Top, double Width, double Height);
