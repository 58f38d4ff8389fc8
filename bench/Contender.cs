namespace DroneDelivery.Bench;

/// <summary>One of several servers that receive the same load alternately, and its measurements.</summary>
internal sealed record Contender(string Name)
{
    // Until the JIT has finished, the rate reflects the compiler more than the code.
    private const int RoundsToCompile = 3;

    private readonly Dictionary<string, Sample> _figures = [];

    public required Func<int, Task> Load { get; init; }

    /// <summary>The processes whose CPU time counts.</summary>
    public required Dictionary<string, ChildProcess> Processes { get; init; }

    /// <summary>Prepares a load of the given size, outside the measurement.</summary>
    public Func<int, Task> Before { get; init; } = _ => Task.CompletedTask;

    /// <summary>Cleans up after a load of the given size, outside the measurement.</summary>
    public Func<int, Task> After { get; init; } = _ => Task.CompletedTask;

    /// <summary>How long CPU time still counts after a load.</summary>
    public TimeSpan Trailing { get; init; }

    /// <summary>Additional metrics of the last load.</summary>
    public Func<IEnumerable<(string Name, double Value)>> Figures { get; init; } = () => [];

    /// <summary>Requests per second.</summary>
    public Sample Rate { get; } = new();

    /// <summary>Measures all contenders alternately. Each repetition starts with another one, so the order favors none.</summary>
    public static async Task MeasureAsync(IReadOnlyList<Contender> all, int count, int repetitions)
    {
        for (var round = 0; round < RoundsToCompile + repetitions; round++)
        {
            for (var turn = 0; turn < all.Count; turn++)
                await all[(round + turn) % all.Count].MeasureAsync(count, isKept: round >= RoundsToCompile);
        }
    }

    public string Show() =>
        $"{Name, -32} {Rate.Show(), -28}/s; "
        + string.Join(", ", _figures.Select(figure => $"{figure.Key} {figure.Value.Show("N2")}"));

    private async Task MeasureAsync(int count, bool isKept)
    {
        // Threads and caches are cold after the other contenders.
        await Before(count / 4);
        await Load(count / 4);
        await After(count / 4);

        await Before(count);
        var before = Processes.ToDictionary(process => process.Key, process => process.Value.CpuTime());
        var (client, start) = (Environment.CpuUsage.TotalTime, TimeProvider.System.GetTimestamp());
        await Load(count);
        var seconds = TimeProvider.System.GetElapsedTime(start).TotalSeconds;
        client = Environment.CpuUsage.TotalTime - client;
        await Task.Delay(Trailing);
        var used = Processes.ToDictionary(
            process => process.Key,
            process => process.Value.CpuTime() - before[process.Key]
        );
        await After(count);
        if (!isKept)
            return;
        Rate.Add(count / seconds);
        foreach (var (process, time) in used.Append(new("client", client)))
            Add($"µs CPU {process}", time.TotalMicroseconds / count);
        foreach (var (figure, value) in Figures())
            Add(figure, value);
    }

    private void Add(string figure, double value)
    {
        if (!_figures.TryGetValue(figure, out var sample))
            _figures[figure] = sample = new Sample();
        sample.Add(value);
    }
}
