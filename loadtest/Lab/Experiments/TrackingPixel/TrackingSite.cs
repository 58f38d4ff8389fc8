using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Experiments;

/// <summary>The emulated site under its users, event by event on a clock of its own: nothing waits.</summary>
internal sealed class TrackingSite(KnobValues knobs)
{
    private readonly Random _random = new((int)knobs["load.seed"]);
    private readonly LogNormal _table = new(Math.Log(knobs["table.latency"]), knobs["table.sigma"]);
    private readonly List<Host> _hosts = [];
    private readonly EventClock _clock = new();
    private readonly AnswerBins _bins = new(knobs["load.ramp"]);
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
        var (hosts, users) = ((int)knobs["site.hosts"], (int)knobs["load.users"]);
        var atStart = Math.Min(hosts, (int)knobs["site.hostsAtStart"]);
        for (var i = 0; i < atStart; i++)
            AddHost();
        for (var i = atStart; i < hosts; i++)
            _clock.Plan((i - atStart + 1) * knobs["site.secondsPerHost"], AddHost);
        for (var i = 0; i < users; i++)
            _clock.Plan(i * knobs["load.ramp"] / users, Plan);
        _clock.Run(knobs["load.ramp"], cancellationToken);
        return new(
            _answered,
            _refused,
            _answered / knobs["load.ramp"],
            _answered == 0 ? double.NaN : _latency / _answered,
            _bins.PerSecond("answered")
        );
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
        _bins.Add(_clock.Now);
        _latency += _clock.Now - since;
        Plan();
    }

    private void Refuse()
    {
        _refused++;
        Plan();
    }

    private void AddHost() => _hosts.Add(new((int)knobs["host.cores"], (int)knobs["host.queueLimit"]));

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
internal sealed record SiteResult(
    long Answered,
    long Refused,
    double PerSecond,
    double Seconds,
    ExperimentLine Throughput
)
{
    /// <summary>Users that Little's law finds in the site: throughput × latency.</summary>
    public double UsersInside => PerSecond * Seconds;

    public double Peak => Throughput.Values.Max();
}

/// <summary>Which hosts serve a pixel that stores each hit in a table, and what the write and the logging cost.</summary>
internal static class EmulatedSite
{
    public static Exhibits Emulate(Scene scene, CancellationToken cancellationToken)
    {
        var knobs = scene.Knobs;
        scene.Progress.Report(
            $"{knobs["load.users"]:#,0} users on {knobs["site.hosts"]} hosts, {knobs["load.ramp"]:0} s on a clock of its own"
        );
        var result = new TrackingSite(knobs).Play(cancellationToken);
        return Exhibits.Of(
            scene.Variant,
            $"Computed event by event. All hosts together manage {TrackingSite.CapacityOf(knobs):#,0} hits a second.",
            [
                new("answered", result.Answered, "#,0"),
                new("refused", result.Refused, "#,0", "failed"),
                new("hosts", knobs["site.hosts"], "0"),
                new("hits/s", result.PerSecond, "#,0", "rps"),
                new("best 5 s", result.Peak, "#,0", "peak"),
                new("mean s", result.Seconds, "0.00", "seconds"),
                new("users by Little's law", result.UsersInside, "#,0", "usersInside"),
            ],
            new("Hits that were answered", Says(result), "hits/s", [result.Throughput])
        );
    }

    private static string Says(SiteResult result) =>
        $"{result.Refused:#,0} were refused; {result.Peak:0} a second at best.";
}
