namespace DroneDelivery.Lab.Report;

/// <summary>
/// Time along a waterfall, in milliseconds, without the long waits in which no step runs: a message that waits for a minute in the queue
/// would squeeze the quarter of a second that is spent on it to nothing.
/// </summary>
internal sealed class BusyTime
{
    private const double Long = 1000, Shown = 50;
    private readonly List<(double From, double To)> _waits = [];

    public BusyTime(IEnumerable<Step> steps)
    {
        var end = 0.0;
        foreach (var step in steps.OrderBy(step => step.Start))
        {
            if (step.Start - end > Long)
                _waits.Add((end, step.Start));
            end = Math.Max(end, step.Start + (step.Duration ?? 0));
        }

        Length = Math.Max(1, Of(end));
    }

    public double Length { get; }

    public double LeftOut => _waits.Sum(wait => wait.To - wait.From - Shown);

    /// <param name="time">Since the transaction began.</param>
    public double Of(double time) => time - _waits.Sum(wait => Math.Clamp(time - wait.From - Shown, 0, wait.To - wait.From - Shown));
}
