namespace DroneDelivery.Lab.Report;

/// <summary>Where a chart draws: the rectangle between its axes, in the units of the drawing, and the scales of both.</summary>
internal sealed record Plot(Rectangle Area, Scale X, Scale Y)
{
    public double Right => Area.Left + Area.Width;

    public double Floor => Area.Top + Area.Height;

    public double AtX(double value) => Area.Left + X.Pixels(value);

    public double AtY(double value) => Floor - Y.Pixels(value);

    /// <summary>A line across the drawing for each round value, with the value to the left.</summary>
    public IEnumerable<Html> Grid(Func<double, string> text) =>
        Y.Ticks.Select(tick =>
            Html.Of(
                $"""<line class="grid" x1="{Area.Left}" x2="{Right:0.#}" y1="{AtY(tick):0.#}" y2="{AtY(tick):0.#}"/>"""
                    + $"""<text class="y" x="{Area.Left - 8}" y="{AtY(tick) + 4:0.#}">{text(tick)}</text>"""
            )
        );

    /// <summary>A text below the drawing.</summary>
    public Html Below(double x, string text) =>
        Html.Of($"""<text class="x" x="{AtX(x):0.#}" y="{Floor + 22:0.#}">{text}</text>""");
}

internal readonly record struct Rectangle(double Left, double Top, double Width, double Height);

/// <summary>A linear axis from 0 with round ticks.</summary>
internal sealed class Scale
{
    private static readonly double[] ClockSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
    private readonly double _pixels;

    public Scale(double max, double step, double pixels)
    {
        (_pixels, Max) = (pixels, max);
        Ticks = [.. Enumerable.Range(0, (int)Math.Floor(max / step + 1e-9) + 1).Select(i => i * step)];
    }

    public double Max { get; }

    public IReadOnlyList<double> Ticks { get; }

    /// <summary>About five steps of 1, 2 or 5 times a power of ten; ends at a tick.</summary>
    /// <param name="max">Largest value to show, above 0.</param>
    public static Scale OfValues(double max, double pixels)
    {
        var power = Math.Pow(10, Math.Floor(Math.Log10(max / 5)));
        var step =
            power
            * (max / 5 / power) switch
            {
                <= 1 => 1,
                <= 2 => 2,
                <= 5 => 5,
                _ => 10,
            };
        return new(Math.Ceiling(max / step - 1e-9) * step, step, pixels);
    }

    /// <summary>At most eight steps that a clock has; ends at <paramref name="seconds"/>.</summary>
    public static Scale OfTime(double seconds, double pixels) =>
        new(seconds, ClockSteps.FirstOrDefault(step => step >= seconds / 8, ClockSteps[^1]), pixels);

    public double Pixels(double value) => value / Max * _pixels;
}
