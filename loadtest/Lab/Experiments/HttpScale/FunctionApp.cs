using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Experiments;

/// <summary>
/// The emulated function app under its clients, event by event on a clock of its own: it waits for nothing, so all clients and all
/// instances of the article fit into a second or two of one core.
/// </summary>
internal sealed class FunctionApp(KnobValues knobs)
{
    private const double TicksPerSecond = 10;

    // 200 MB of latencies; the published lengths have 7 million.
    private const int MostRequests = 50_000_000;

    private readonly Random _random = new((int)knobs["load.seed"]);
    private readonly LogNormal _spread =
            new(-knobs["request.sigma"] * knobs["request.sigma"] / 2, knobs["request.sigma"]), // of a mean
        _coldStart = new(knobs["coldStart.mu"], knobs["coldStart.sigma"]);
    private readonly EventClock _clock = new();
    private readonly Queue<int> _freeSlots = []; // the instance of each
    private readonly Queue<double> _waiting = []; // since when
    private readonly List<int> _inService = []; // of each instance
    private readonly List<double> _readyAt = [];
    private readonly List<float> _latencies = [];
    private readonly int[][] _answers = // of each second, of each instance
    [.. Enumerable.Range(0, (int)Math.Ceiling(knobs["load.duration"])).Select(_ => new int[TargetOf(knobs)])];

    private readonly int _concurrency = (int)knobs["app.concurrency"],
        _target = TargetOf(knobs);
    private readonly double _baseMs = knobs["request.base"],
        _perRequestMs = knobs["request.perRequest"];
    private double _toAdd;

    /// <summary>What the controller scales to: one group, an instance for each so many requests, as far as the quota goes.</summary>
    public static int TargetOf(KnobValues knobs)
    {
        var (clients, concurrency) = ((int)knobs["load.clients"], (int)knobs["app.concurrency"]);
        return Math.Min((clients + concurrency - 1) / concurrency, (int)knobs["scale.quota"]);
    }

    public ScaleResult Play(CancellationToken cancellationToken)
    {
        var seconds = knobs["load.duration"];
        Begin();
        _clock.Run(seconds, cancellationToken, afterEach: FillSlots);
        return new(seconds, _latencies, [.. _readyAt.Where(time => time < seconds).Order()]) { Answers = _answers };
    }

    private void Begin()
    {
        for (var i = 0; i < Math.Min((int)knobs["scale.alwaysReady"], _target); i++)
            Add(coldStart: 0);
        for (var i = 0; i < (int)knobs["load.clients"]; i++)
            _waiting.Enqueue(0);
        _clock.Plan(0, Scale);
    }

    private void FillSlots()
    {
        while (_freeSlots.Count > 0 && _waiting.TryDequeue(out var since))
            Begin(_freeSlots.Dequeue(), since);
    }

    private void Answer(int instance, double since)
    {
        _latencies.Add((float)(_clock.Now - since));
        if (_latencies.Count > MostRequests)
        {
            throw new LabException(
                $"This run would send more than {MostRequests:#,0} requests. Shorten the load or increase the service time."
            );
        }

        _answers[(int)_clock.Now][instance]++;
        _inService[instance]--;
        _freeSlots.Enqueue(instance);
        _waiting.Enqueue(_clock.Now); // its client sends the next one
    }

    private void Begin(int instance, double since)
    {
        var mean = _baseMs + _perRequestMs * ++_inService[instance];
        _clock.PlanIn(mean * _spread.Next(_random) / 1000, () => Answer(instance, since));
    }

    private void Scale()
    {
        _toAdd +=
            knobs[_readyAt.Count < (int)knobs["scale.fastUntil"] ? "scale.pace" : "scale.laterPace"] / TicksPerSecond;
        for (; _toAdd >= 1 && _readyAt.Count < _target; _toAdd--)
            Add(_coldStart.Next(_random) / 1000);
        if (_readyAt.Count < _target)
            _clock.PlanIn(1 / TicksPerSecond, Scale);
    }

    private void Add(double coldStart)
    {
        _inService.Add(0);
        _readyAt.Add(_clock.Now + coldStart);
        var instance = _readyAt.Count - 1;
        _clock.PlanIn(coldStart, () =>
        {
            for (var i = 0; i < _concurrency; i++)
                _freeSlots.Enqueue(instance);
        });
    }
}

/// <summary>What came of the load.</summary>
/// <param name="Latencies">Seconds of each answered request, waiting for an instance included.</param>
/// <param name="ReadyAt">When each instance took its first request, in order; seconds.</param>
internal sealed record ScaleResult(double Seconds, IReadOnlyList<float> Latencies, IReadOnlyList<double> ReadyAt)
{
    private const double GigabytesOfAnInstance = 2,
        LeastBilledSeconds = 1,
        BilledStep = 0.1;

    private readonly float[] _sorted = [.. Latencies.Order()];

    public double RequestsPerSecond => Latencies.Count / Seconds;

    /// <summary>When so large a share of all instances was there; seconds, or not a number where there never was one.</summary>
    public double SecondsTo(double share) =>
        ReadyAt.Count == 0 ? double.NaN : ReadyAt[(int)Math.Ceiling(share * ReadyAt.Count) - 1];

    /// <summary>Memory of each instance from its first request to the end of the load, in the steps that are billed.</summary>
    public double GigabyteSeconds => GigabytesOfAnInstance * ReadyAt.Sum(ready => Billed(Seconds - ready));

    /// <returns>Milliseconds.</returns>
    public double Percentile(double share) =>
        _sorted.Length == 0 ? double.NaN : _sorted[(int)((_sorted.Length - 1) * share)] * 1000.0;

    /// <summary>For each second: requests that each instance answered in it.</summary>
    public IReadOnlyList<IReadOnlyList<int>> Answers { get; init; } = [];

    private static double Billed(double seconds) =>
        Math.Max(LeastBilledSeconds, Math.Ceiling(seconds / BilledStep) * BilledStep);
}
