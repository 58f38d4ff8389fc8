using DroneDelivery.Model;

namespace DroneDelivery.Lab.Experiments;

/// <summary>The emulated site under its users, event by event on a clock of its own: nothing waits.</summary>
internal sealed class TrackingSite(KnobValues knobs)
{
    private const double BinSeconds = 5;

    private readonly Random _random = new((int)knobs["load.seed"]);
    private readonly LogNormal _table = new(Math.Log(knobs["table.latency"]), knobs["table.sigma"]);
    private readonly List<Host> _hosts = [];
    private readonly EventClock _clock = new();
    private readonly int[] _answeredInBin = new int[(int)Math.Ceiling(knobs["load.ramp"] / BinSeconds)];
    private readonly double _cpuSeconds = CpuSecondsOf(knobs);
    private double _nextSend;
    private int _turn;
    private long _answered;
    private long _refused;
    private double _latency;

    /// <summary>Hits a second that all hosts manage together.</summary>
    public static double CapacityOf(KnobValues knobs) =>
        (int)knobs["site.hosts"] * (int)knobs["host.cores"] / CpuSecondsOf(knobs);

    /// <summary>Seconds of one core for one hit. The knobs are those of a core of 100 ACU.</summary>
    private static double CpuSecondsOf(KnobValues knobs) =>
        (knobs["hit.cpu"] + knobs["write.cpu"] + knobs["logging.cpu"]) / 1000 * 100 / knobs["host.acu"];

    public SiteResult Play(CancellationToken cancellationToken)
    {
        Begin();
        _clock.Run(knobs["load.ramp"], cancellationToken);
        return Result();
    }

    private void Begin()
    {
        var (hosts, users) = ((int)knobs["site.hosts"], (int)knobs["load.users"]);
        var atStart = Math.Min(hosts, (int)knobs["site.hostsAtStart"]);
        for (var i = 0; i < atStart; i++)
            AddHost();
        for (var i = atStart; i < hosts; i++)
            _clock.Plan((i - atStart + 1) * knobs["site.secondsPerHost"], AddHost);
        for (var i = 0; i < users; i++)
            _clock.Plan(i * knobs["load.ramp"] / users, Plan);
    }

    /// <summary>A user asks as soon as the generator gets to it.</summary>
    private void Plan()
    {
        _nextSend = Math.Max(_clock.Now, _nextSend) + 1 / knobs["load.most"];
        _clock.Plan(_nextSend, Send);
    }

    private void Send()
    {
        var host = _hosts[_turn++ % _hosts.Count];
        if (!host.TryTake(_clock.Now, _cpuSeconds, out var done))
        {
            _clock.PlanIn(knobs["host.refusal"], Refuse);
            return;
        }

        var wait = knobs["write.cpu"] > 0 ? _table.Next(_random) / 1000 : 0;
        var since = _clock.Now;
        _clock.Plan(done + wait, () => Answer(host, since));
    }

    private void Answer(Host host, double since)
    {
        host.Answer();
        _answered++;
        _answeredInBin[(int)(_clock.Now / BinSeconds)]++;
        _latency += _clock.Now - since;
        Plan();
    }

    private void Refuse()
    {
        _refused++;
        Plan();
    }

    private void AddHost() => _hosts.Add(new((int)knobs["host.cores"], (int)knobs["host.queueLimit"]));

    private SiteResult Result() => new(
        _answered, _refused, _answered / knobs["load.ramp"], _answered == 0 ? double.NaN : _latency / _answered,
        new("answered", [.. _answeredInBin.Select((_, bin) => bin * BinSeconds)], [.. _answeredInBin.Select(count => count / BinSeconds)]));

    /// <summary>One host: hits take its cores in the order in which they come.</summary>
    private sealed class Host(int cores, int queueLimit)
    {
        private readonly double[] _freeAt = new double[cores];
        private int _hits;

        /// <summary>Takes a hit, unless it has too many already.</summary>
        /// <param name="cpuSeconds">Of one core.</param>
        public bool TryTake(double now, double cpuSeconds, out double done)
        {
            done = now;
            if (_hits >= queueLimit)
                return false;
            _hits++;
            var core = Array.IndexOf(_freeAt, _freeAt.Min());
            done = _freeAt[core] = Math.Max(now, _freeAt[core]) + cpuSeconds;
            return true;
        }

        public void Answer() => _hits--;
    }
}

/// <summary>What came of the ramp.</summary>
/// <param name="PerSecond">Answered hits, mean.</param>
/// <param name="Seconds">Mean latency of the answered.</param>
/// <param name="Throughput">Answered hits a second, over time.</param>
internal sealed record SiteResult(long Answered, long Refused, double PerSecond, double Seconds, ExperimentLine Throughput)
{
    /// <summary>Users that Little's law finds in the site: throughput × latency.</summary>
    public double UsersInside => PerSecond * Seconds;

    public double Peak => Throughput.Values.Max();
}
