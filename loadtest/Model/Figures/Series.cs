namespace DroneDelivery.Model.Figures;

/// <summary>The counters at one moment of a run.</summary>
/// <param name="At">Seconds since the load began.</param>
/// <param name="Queue">Counted since the run began.</param>
/// <param name="Errors">HTTP 5xx since the run began.</param>
/// <param name="OutOfMemory">Those among them for which Redis had no memory left.</param>
public sealed record Sample(double At, QueueCounters Queue, long Errors, long OutOfMemory = 0)
{
    /// <summary>Virtual node → seconds for which all of its CPUs were busy; empty where no nodes are emulated.</summary>
    public IReadOnlyList<double> NodesBusy { get; init; } = [];

    /// <summary>Seconds for which all cores of the real machine were busy; not a number where that is not known.</summary>
    public double MachineBusy { get; init; } = double.NaN;

    /// <summary>Seconds for which a hypervisor took all cores away; not a number if unknown.</summary>
    public double MachineStolen { get; init; } = double.NaN;

    /// <summary>Seconds in which at least one runnable task waited for a real CPU; not a number if unknown.</summary>
    public double MachinePressure { get; init; } = double.NaN;

    /// <summary>Reservations of emulated CPU time that ended; not a number where no nodes are emulated.</summary>
    public double Holds { get; init; } = double.NaN;

    /// <summary>Those that ended noticeably after they were due.</summary>
    public double LateHolds { get; init; } = double.NaN;

    /// <summary>Seconds of real CPU that the application has used.</summary>
    public double ApplicationCpu { get; init; } = double.NaN;

    /// <summary>Seconds of real CPU that the lab has used: gates, collector, sampling, load.</summary>
    public double LabCpu { get; init; } = double.NaN;
}

/// <summary>One bin of a series: rates over the bin, stocks at its end.</summary>
public sealed record Bin
{
    /// <summary>Seconds since the load began.</summary>
    public required double Start { get; init; }

    public required double End { get; init; }

    /// <summary>Users at the start of the bin.</summary>
    public required int Users { get; init; }

    /// <summary>Messages per second, as <see cref="Outgoing"/> and <see cref="Completed"/>.</summary>
    public required double Incoming { get; init; }

    public required double Outgoing { get; init; }

    public required double Completed { get; init; }

    public required double Errors { get; init; }

    public required double LockLost { get; init; }

    /// <summary>Messages that are not settled for good.</summary>
    public required double Backlog { get; init; }

    public required double DeadLetter { get; init; }

    /// <summary>Share of the real machine's CPU that was busy: 0–1.</summary>
    public required double Machine { get; init; }

    /// <summary>The same of each virtual node.</summary>
    public required IReadOnlyList<double> Nodes { get; init; }

    /// <summary>The bin with what is not known as not a number.</summary>
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

/// <summary>The samples of a run, in order of time, and what is read off them.</summary>
public sealed class Series(IReadOnlyList<Sample> samples)
{
    public IReadOnlyList<Sample> Samples => samples;

    public Sample Last => samples[^1];

    public double End => samples.Count == 0 ? 0 : samples[^1].At;

    /// <summary>A counter at any time, linear between the samples around it; outside them the nearest.</summary>
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

    // By halves: figures ask for thousands of times, and a run of full length has thousands of samples.
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

    /// <summary>Mean rate per second of a counter between two times; not a number where there is no time between them.</summary>
    public double Rate(Func<Sample, double> counter, double from, double to) =>
        to > from ? (At(counter, to) - At(counter, from)) / (to - from) : double.NaN;

    /// <summary>
    /// Change per second of the line that fits the samples between two times best (least squares): a single sample moves it less than it
    /// moves a difference of two. Not a number if there are fewer than two samples.
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

    /// <summary>Share of its CPU for which each virtual node was busy between two times: 0–1.</summary>
    public IReadOnlyList<double> Nodes(double from, double to) =>
        [
            .. Enumerable
                .Range(0, samples.Count == 0 ? 0 : Last.NodesBusy.Count)
                .Select(node => Rate(sample => sample.NodesBusy[node], from, to)),
        ];

    /// <summary>Whole bins from the start of the load to the last sample.</summary>
    /// <param name="width">Seconds.</param>
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
