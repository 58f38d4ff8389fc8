namespace DroneDelivery.Lab.Report;

/// <summary>The plot area of a chart and the scales of its axes.</summary>
internal sealed record Plot(Rectangle Area, Scale X, Scale Y)
{
    public double Right => Area.Left + Area.Width;

    public double Floor => Area.Top + Area.Height;

    public double AtX(double value) => Area.Left + X.Pixels(value);

    public double AtY(double value) => Floor - Y.Pixels(value);

    /// <summary>Returns grid lines at round values, with labels on the left.</summary>
    public IEnumerable<Html> Grid(Func<double, string> text) =>
        Y.Ticks.Select(tick =>
            Html.Of(
                $"""<line class="grid" x1="{Area.Left}" x2="{Right:0.#}" y1="{AtY(tick):0.#}" y2="{AtY(tick):0.#}"/>"""
                    + $"""<text class="y" x="{Area.Left - 8}" y="{AtY(tick) + 4:0.#}">{text(tick)}</text>"""
            )
        );

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

    /// <summary>Creates about five steps of 1, 2 or 5 times a power of ten, ending at a tick.</summary>
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

    /// <summary>Creates at most eight steps of seconds or minutes.</summary>
    public static Scale OfTime(double seconds, double pixels) =>
        new(seconds, ClockSteps.FirstOrDefault(step => step >= seconds / 8, ClockSteps[^1]), pixels);

    public double Pixels(double value) => value / Max * _pixels;
}
