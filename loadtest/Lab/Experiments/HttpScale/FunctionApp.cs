using DroneDelivery.Model;

namespace DroneDelivery.Lab.Experiments;

/// <summary>
/// The emulated function app under its clients, event by event on a clock of its own: it waits for nothing, so all clients and all
/// instances of the article fit into a second or two of one core.
/// </summary>
internal sealed class FunctionApp
{
    private const double TicksPerSecond = 10;

    // 200 MB of latencies; the published lengths have 7 million.
    private const int MostRequests = 50_000_000;

    private readonly ScaleSettings _settings;
    private readonly Random _random;
    private readonly LogNormal _spread;   // of a mean
    private readonly LogNormal _coldStart;
    private readonly EventClock<Event> _clock = new();
    private readonly Queue<int> _freeSlots = [];   // the instance of each
    private readonly Queue<double> _waiting = [];   // since when
    private readonly List<int> _inService = [];   // of each instance
    private readonly List<double> _readyAt = [];
    private readonly List<float> _latencies = [];
    private readonly int[][] _answers;   // of each second, of each instance
    private double _toAdd;

    private FunctionApp(ScaleSettings settings)
    {
        (_settings, _random) = (settings, new Random(settings.Seed));
        _spread = new(-settings.Sigma * settings.Sigma / 2, settings.Sigma);
        _coldStart = new(settings.ColdStartMu, settings.ColdStartSigma);
        _answers = [.. Enumerable.Range(0, (int)Math.Ceiling(settings.Seconds)).Select(_ => new int[settings.Target])];
    }

    /// <summary>What happens at a time.</summary>
    /// <param name="Kind">What it is.</param>
    /// <param name="Instance">Where; none for the controller.</param>
    /// <param name="Since">Of a request: when its client sent it.</param>
    private readonly record struct Event(EventKind Kind, int Instance = -1, double Since = 0);

    private enum EventKind
    {
        Scale,
        Ready,
        Answer,
    }

    public static ScaleResult Play(ScaleSettings settings, CancellationToken cancellationToken)
    {
        var app = new FunctionApp(settings);
        app.Begin();
        app._clock.Run(settings.Seconds, app.Happen, cancellationToken);
        return new(settings, app._latencies, [.. app._readyAt.Where(time => time < settings.Seconds).Order()]) { Answers = app._answers };
    }

    private void Begin()
    {
        for (var i = 0; i < Math.Min(_settings.AlwaysReady, _settings.Target); i++)
            Add(coldStart: 0);
        for (var i = 0; i < _settings.Clients; i++)
            _waiting.Enqueue(0);
        _clock.Plan(new(EventKind.Scale), 0);
    }

    private void Happen(Event it)
    {
        switch (it.Kind)
        {
            case EventKind.Scale:
                Scale();
                break;
            case EventKind.Ready:
                for (var i = 0; i < _settings.Concurrency; i++)
                    _freeSlots.Enqueue(it.Instance);
                break;
            case EventKind.Answer:
                Answer(it);
                break;
        }

        while (_freeSlots.Count > 0 && _waiting.TryDequeue(out var since))
            Begin(_freeSlots.Dequeue(), since);
    }

    private void Answer(Event it)
    {
        _latencies.Add((float)(_clock.Now - it.Since));
        if (_latencies.Count > MostRequests)
            throw new LabException($"More than {MostRequests:#,0} requests: let each take longer, or the load less long.");
        _answers[(int)_clock.Now][it.Instance]++;
        _inService[it.Instance]--;
        _freeSlots.Enqueue(it.Instance);
        _waiting.Enqueue(_clock.Now);   // its client sends the next one
    }

    private void Begin(int instance, double since)
    {
        var mean = _settings.BaseMs + _settings.PerRequestMs * ++_inService[instance];
        _clock.Plan(new(EventKind.Answer, instance, since), _clock.Now + mean * _spread.Next(_random) / 1000);
    }

    private void Scale()
    {
        _toAdd += (_readyAt.Count < _settings.FastUntil ? _settings.Pace : _settings.LaterPace) / TicksPerSecond;
        for (; _toAdd >= 1 && _readyAt.Count < _settings.Target; _toAdd--)
            Add(_coldStart.Next(_random) / 1000);
        if (_readyAt.Count < _settings.Target)
            _clock.Plan(new(EventKind.Scale), _clock.Now + 1 / TicksPerSecond);
    }

    private void Add(double coldStart)
    {
        _inService.Add(0);
        _readyAt.Add(_clock.Now + coldStart);
        _clock.Plan(new(EventKind.Ready, _readyAt.Count - 1), _clock.Now + coldStart);
    }
}
