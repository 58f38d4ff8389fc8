namespace DroneDelivery.Bench;

/// <summary>One of several servers that get the same load in turn, and what was measured of it.</summary>
internal sealed class Contender(string name)
{
    // Of the load: a rate that still rises would say more of the compiler than of the code.
    private const int RoundsToCompile = 3;

    private const string Everybody = "all";

    private readonly Dictionary<string, Sample> _microseconds = [];

    public string Name => name;

    public required int Connections { get; init; }

    /// <summary>Sends that many requests over each connection; the answer is requests per second.</summary>
    public required Func<int, Task<double>> Load { get; init; }

    /// <summary>Whose CPU is measured. The client, which is this process, always is.</summary>
    public Dictionary<string, ChildProcess> Processes { get; init; } = [];

    /// <summary>Forgets what the load before has left behind.</summary>
    public Func<Task> Reset { get; init; } = () => Task.CompletedTask;

    /// <summary>Requests per second.</summary>
    public Sample Rate { get; } = new();

    /// <summary>Microseconds of CPU a request, all processes together.</summary>
    public Sample Cpu => Microseconds(Everybody);

    /// <summary>All in turn; another one begins each time. What is measured before all code is compiled does not count.</summary>
    public static async Task MeasureAsync(IReadOnlyList<Contender> all, int requestsEach, int repetitions)
    {
        for (var repetition = -RoundsToCompile; repetition < repetitions; repetition++)
        {
            if (repetition == 0)
            {
                foreach (var one in all)
                    one.Clear();
            }
            for (var turn = 0; turn < all.Count; turn++)
                await all[(repetition + RoundsToCompile + turn) % all.Count].MeasureAsync(requestsEach);
        }
    }

    public string Show() =>
        $"{name, -12} {Rate.Show(), -26} requests/s; µs CPU a request: {string.Join(", ", _microseconds.Select(Show))}";

    private static string Show(KeyValuePair<string, Sample> process) => $"{process.Key} {process.Value.Show("N1")}";

    /// <summary>Its threads and caches are cold while the others run: without a warm-up, whoever comes second in one process gains
    /// 5 %.</summary>
    private async Task MeasureAsync(int requestsEach)
    {
        await Reset();
        await Load(requestsEach / 4);
        var before = CpuTimes();
        Rate.Add(await Load(requestsEach));
        foreach (var (process, after) in CpuTimes())
            Microseconds(process).Add((after - before[process]).TotalMicroseconds / (requestsEach * Connections));
    }

    private Dictionary<string, TimeSpan> CpuTimes()
    {
        var times = Processes.ToDictionary(process => process.Key, process => process.Value.CpuTime());
        times["client"] = Environment.CpuUsage.TotalTime;
        times[Everybody] = times.Values.Aggregate((sum, time) => sum + time);
        return times;
    }

    private Sample Microseconds(string process) =>
        _microseconds.TryGetValue(process, out var sample) ? sample : _microseconds[process] = new Sample();

    private void Clear()
    {
        Rate.Clear();
        _microseconds.Clear();
    }
}
