namespace DroneDelivery.Model.Figures;

/// <summary>The counters at one moment of a run, in seconds since the load began.</summary>
public sealed record Sample(double At, QueueCounters Queue, long Errors, long OutOfMemory = 0)
{
    /// <summary>Seconds for which all CPUs of each virtual node were busy; empty without emulated nodes.</summary>
    public IReadOnlyList<double> NodesBusy { get; init; } = [];

    /// <summary>Seconds for which all cores were busy; NaN if unknown.</summary>
    public double MachineBusy { get; init; } = double.NaN;

    /// <summary>Time stolen by a hypervisor, in seconds of all cores; NaN if unknown.</summary>
    public double MachineStolen { get; init; } = double.NaN;

    /// <summary>Seconds in which at least one runnable task waited for a CPU; NaN if unknown.</summary>
    public double MachinePressure { get; init; } = double.NaN;

    /// <summary>Completed reservations of emulated CPU time; NaN without emulated nodes.</summary>
    public double Holds { get; init; } = double.NaN;

    public double LateHolds { get; init; } = double.NaN;

    public double ApplicationCpu { get; init; } = double.NaN;

    /// <summary>CPU time of the lab (gates, telemetry collector, sampling, load), in seconds.</summary>
    public double LabCpu { get; init; } = double.NaN;
}

/// <summary>An interval of a time series: mean rates and utilizations (0–1), and queue lengths at its end.</summary>
public sealed record Bin
{
    public required double Start { get; init; }

    public required double End { get; init; }

    public required int Users { get; init; }

    /// <summary>Messages per second, as are the next two.</summary>
    public required double Incoming { get; init; }

    public required double Outgoing { get; init; }

    public required double Completed { get; init; }

    public required double Errors { get; init; }

    public required double LockLost { get; init; }

    public required double Backlog { get; init; }

    public required double DeadLetter { get; init; }

    public required double Machine { get; init; }

    public required IReadOnlyList<double> Nodes { get; init; }

    /// <summary>Returns the interval with NaN for every value that the sources don't provide.</summary>
    public Bin Of(Sources told) =>
        this with
        {
            Incoming = told.HasFlag(Sources.Rates) ? Incoming : double.NaN,
            Completed = told.HasFlag(Sources.Rates) ? Completed : double.NaN,
            Outgoing = told.HasFlag(Sources.Deliveries) ? Outgoing : double.NaN,
            LockLost = told.HasFlag(Sources.Deliveries) ? LockLost : double.NaN,
            Errors = told.HasFlag(Sources.ErrorsOverTime) ? Errors : double.NaN,
        };
}

/// <summary>The samples of a run in chronological order.</summary>
public sealed class Series(IReadOnlyList<Sample> samples)
{
    public IReadOnlyList<Sample> Samples => samples;

    public Sample Last => samples[^1];

    public double End => samples.Count == 0 ? 0 : samples[^1].At;

    /// <summary>Returns a counter, interpolated between samples, or the nearest sample's outside their range.</summary>
    public double At(Func<Sample, double> counter, double seconds)
    {
        if (samples.Count == 0)
            return double.NaN;
        var next = FirstNotBefore(seconds);
        if (next == 0 || next == samples.Count)
            return counter(samples[Math.Min(next, samples.Count - 1)]);
        var (a, b) = (samples[next - 1], samples[next]);
        return counter(a) + (counter(b) - counter(a)) * (seconds - a.At) / (b.At - a.At);
    }

    // A binary search, because metrics query thousands of samples thousands of times.
    private int FirstNotBefore(double seconds)
    {
        var (low, high) = (0, samples.Count);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (samples[middle].At < seconds)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }

    /// <summary>Returns the mean rate per second; NaN for an empty interval.</summary>
    public double Rate(Func<Sample, double> counter, double from, double to) =>
        to > from ? (At(counter, to) - At(counter, from)) / (to - from) : double.NaN;

    /// <summary>
    /// Returns the least-squares slope per second, which a single sample affects less than a difference; NaN for fewer than two samples.
    /// </summary>
    public double Slope(Func<Sample, double> counter, double from, double to)
    {
        var points = samples
            .Where(sample => sample.At >= from && sample.At <= to)
            .Select(sample => (sample.At, Value: counter(sample)))
            .ToList();
        if (points.Count < 2)
            return double.NaN;
        var (meanAt, meanValue) = (points.Average(point => point.At), points.Average(point => point.Value));
        var covariance = points.Sum(point => (point.At - meanAt) * (point.Value - meanValue));
        var variance = points.Sum(point => (point.At - meanAt) * (point.At - meanAt));
        return covariance / variance;
    }

    public IReadOnlyList<double> Nodes(double from, double to) =>
        [
            .. Enumerable
                .Range(0, samples.Count == 0 ? 0 : Last.NodesBusy.Count)
                .Select(node => Rate(sample => sample.NodesBusy[node], from, to)),
        ];

    /// <summary>Returns the complete intervals of a width in seconds.</summary>
    public IReadOnlyList<Bin> Bins(double width, Func<double, int> usersAt) =>
        [
            .. Enumerable
                .Range(0, Math.Max(0, (int)Math.Floor(End / width + 1e-9)))
                .Select(i => BinAt(i * width, (i + 1) * width, usersAt)),
        ];

    private Bin BinAt(double start, double end, Func<double, int> usersAt) =>
        new()
        {
            Start = start,
            End = end,
            Users = usersAt(start),
            Incoming = Rate(sample => sample.Queue.Incoming, start, end),
            Outgoing = Rate(sample => sample.Queue.Outgoing, start, end),
            Completed = Rate(sample => sample.Queue.Completed, start, end),
            Errors = Rate(sample => sample.Errors, start, end),
            LockLost = Rate(sample => sample.Queue.LockLost, start, end),
            Backlog = At(sample => sample.Queue.Queued, end),
            DeadLetter = At(sample => sample.Queue.DeadLetter, end),
            Machine = Rate(sample => sample.MachineBusy, start, end),
            Nodes = Nodes(start, end),
        };
}
