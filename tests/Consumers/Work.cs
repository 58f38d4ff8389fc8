using System.Collections.Concurrent;
using System.Text.Json;

namespace DroneDelivery.Consumers;

/// <summary>
/// The work for a message: the service's own CPU time, then step by step concurrent waits and CPU time.
/// </summary>
internal sealed class Work : IDisposable
{
    // The 95th percentile of a normal distribution.
    private const double Z95 = 1.645;

    private readonly JsonElement _own;
    private readonly JsonElement[][] _steps;
    private readonly BlockingCollection<(TimeSpan Time, TaskCompletionSource Done)> _jobs = [];
    private readonly ConcurrentQueue<(TimeSpan Wanted, TimeSpan Taken)> _burnt = [];

    public Work(JsonElement own, JsonElement system)
    {
        _own = own;
        _steps = own.TryGetProperty("calls", out var steps) ? [.. steps.EnumerateArray().Select(TogetherIn)] : [];
        var cores = system.TryGetProperty("nodes", out var nodes) ? nodes.GetProperty("vCpu").GetInt32() : 0;
        for (var core = 0; core < cores; core++)
            new Thread(Burn) { IsBackground = true }.Start();

        JsonElement[] TogetherIn(JsonElement step) =>
            [
                .. (step.ValueKind == JsonValueKind.Array ? step.EnumerateArray().ToArray() : [step]).Select(name =>
                    system.GetProperty("services").GetProperty(name.GetString()!)
                ),
            ];
    }

    /// <summary>The time of each message beyond its waits, in milliseconds.</summary>
    public ConcurrentQueue<double> Late { get; } = [];

    /// <summary>The actual CPU time, with other processes on the same cores, divided by the specified one.</summary>
    public double CpuCost =>
        _burnt.IsEmpty ? 1 : Measured.Sum(it => it.Taken.TotalSeconds) / Measured.Sum(it => it.Wanted.TotalSeconds);

    // The jobs during the measurement, which excludes a fifth at the start and at the end.
    private IEnumerable<(TimeSpan Wanted, TimeSpan Taken)> Measured =>
        _burnt.Skip(_burnt.Count / 5).Take(_burnt.Count * 3 / 5);

    public void Dispose() => _jobs.Dispose();

    /// <returns>The specified duration of the waits.</returns>
    public async Task<TimeSpan> DoAsync(Random random)
    {
        var waited = TimeSpan.Zero;
        await BurnAsync(Draw(_own, "cpuMilliseconds", random));
        foreach (var step in _steps)
        {
            TimeSpan[] latencies = [.. step.Select(it => Draw(it, "latency", random))];
            var burning = step.Select(it => BurnAsync(Draw(it, "cpuMilliseconds", random)));
            await Task.WhenAll(latencies.Select(Task.Delay).Concat(burning));
            waited += latencies.Max();
        }

        return waited;
    }

    private static TimeSpan Draw(JsonElement of, string field, Random random) =>
        TimeSpan.FromMilliseconds(
            !of.TryGetProperty(field, out var times) ? 0
            : times.ValueKind == JsonValueKind.Number ? times.GetDouble()
            : times.TryGetProperty("samples", out var samples)
                ? samples[random.Next(samples.GetArrayLength())].GetDouble()
            : LogNormal(times.GetProperty("p50").GetDouble(), times.GetProperty("p95").GetDouble(), random)
        );

    private static double LogNormal(double median, double high, Random random)
    {
        var normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
        return median * Math.Exp(Math.Log(high / median) / Z95 * normal);
    }

    private Task BurnAsync(TimeSpan time)
    {
        if (time == TimeSpan.Zero)
            return Task.CompletedTask;
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _jobs.Add((time, done));
        return done.Task;
    }

    /// <summary>
    /// Simulates a core that handles jobs in order. It has its own thread, because the pool's threads handle the
    /// messages.
    /// </summary>
    private void Burn()
    {
        foreach (var (time, done) in _jobs.GetConsumingEnumerable())
        {
            var began = TimeProvider.System.GetTimestamp();
            while (TimeProvider.System.GetElapsedTime(began) < time)
                Thread.SpinWait(1000);
            _burnt.Enqueue((time, TimeProvider.System.GetElapsedTime(began)));
            done.SetResult();
        }
    }
}
