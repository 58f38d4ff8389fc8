namespace DroneDelivery.Lab.Experiments;

/// <summary>One way to store hits, and how it is loaded.</summary>
/// <param name="Name">In figures.</param>
/// <param name="Writer">As <c>Tracking:Writer</c> names it.</param>
/// <param name="IsScattered">Each hit has an account of its own, so no two share a partition.</param>
internal sealed record WriterSubject(string Name, string Writer, bool IsScattered = false)
{
    public static WriterSubject Insert { get; } = new("insert", "Insert");

    public static WriterSubject Batch { get; } = new("batch", "Batch");

    public static WriterSubject Scattered { get; } = new("scattered", "Batch", IsScattered: true);

    public static WriterSubject Queue { get; } = new("queue", "Queue");

    public static WriterSubject None { get; } = new("none", "None");

    public static IReadOnlyList<WriterSubject> All { get; } = [Insert, Batch, Scattered, Queue, None];
}

/// <summary>What came of a load on one writer.</summary>
/// <param name="Seconds">From the first hit until the last one was stored.</param>
internal sealed record WriterLoad(WriterSubject Subject, ClosedLoad Seen, double Seconds, TimeSpan Cpu, int Stored)
{
    private readonly int? _missing;

    /// <summary>Answered and not stored, or stored and not answered, in each turn by itself.</summary>
    public int Missing
    {
        get => _missing ?? Math.Abs(Answered - Stored);
        init => _missing = value;
    }

    public int Answered => Seen.Milliseconds.Count - Seen.Failed;

    /// <summary>Hits a second that were answered and stored: whoever answers first is not done.</summary>
    public double PerSecond => Answered / Seconds;

    public double CpuMicroseconds => Cpu.TotalMicroseconds / Math.Max(Answered, 1);

    /// <summary>Several loads of one writer as one.</summary>
    public static WriterLoad Together(IReadOnlyList<WriterLoad> loads) => new(
        loads[0].Subject,
        ClosedLoad.Together([.. loads.Select(load => load.Seen)]),
        loads.Sum(load => load.Seconds),
        new(loads.Sum(load => load.Cpu.Ticks)),
        loads.Sum(load => load.Stored))
    {
        Missing = loads.Sum(load => load.Missing),
    };
}
