using DroneDelivery.Model;

namespace DroneDelivery.Lab.Experiments;

/// <summary>The emulated site under its users, event by event on a clock of its own: nothing waits.</summary>
internal sealed class TrackingSite
{
    private const double BinSeconds = 5;

    private readonly SiteSettings _settings;
    private readonly Random _random;
    private readonly LogNormal _table;
    private readonly List<Host> _hosts = [];
    private readonly EventClock<Event> _clock = new();
    private readonly int[] _answeredInBin;
    private double _nextSend;
    private int _turn;
    private long _answered;
    private long _refused;
    private double _latency;

    private TrackingSite(SiteSettings settings)
    {
        (_settings, _random, _table) = (settings, new Random(settings.Seed), new(Math.Log(settings.TableMs), settings.TableSigma));
        _answeredInBin = new int[(int)Math.Ceiling(settings.RampSeconds / BinSeconds)];
    }

    /// <summary>What happens at a time.</summary>
    /// <param name="Host">Which answers; null for a refusal, and where no host is concerned.</param>
    /// <param name="Since">When the user asked.</param>
    private readonly record struct Event(EventKind Kind, Host? Host = null, double Since = 0);

    private enum EventKind
    {
        User,
        Host,
        Send,
        Answer,
        Refusal,
    }

    public static SiteResult Play(SiteSettings settings, CancellationToken cancellationToken)
    {
        var site = new TrackingSite(settings);
        site.Begin();
        site._clock.Run(settings.RampSeconds, site.Happen, cancellationToken);
        return site.Result();
    }

    private void Begin()
    {
        for (var i = 0; i < _settings.HostsAtStart; i++)
            AddHost();
        for (var i = _settings.HostsAtStart; i < _settings.Hosts; i++)
            _clock.Plan(new(EventKind.Host), (i - _settings.HostsAtStart + 1) * _settings.SecondsPerHost);
        for (var i = 0; i < _settings.Users; i++)
            _clock.Plan(new(EventKind.User), i * _settings.RampSeconds / _settings.Users);
    }

    private void Happen(Event it)
    {
        switch (it.Kind)
        {
            case EventKind.Host:
                AddHost();
                break;
            case EventKind.User:
                Plan();
                break;
            case EventKind.Send:
                Send();
                break;
            case EventKind.Answer:
                it.Host!.Answer();
                _answered++;
                _answeredInBin[(int)(_clock.Now / BinSeconds)]++;
                _latency += _clock.Now - it.Since;
                Plan();
                break;
            case EventKind.Refusal:
                _refused++;
                Plan();
                break;
        }
    }

    /// <summary>A user asks as soon as the generator gets to it.</summary>
    private void Plan()
    {
        _nextSend = Math.Max(_clock.Now, _nextSend) + 1 / _settings.MostPerSecond;
        _clock.Plan(new(EventKind.Send), _nextSend);
    }

    private void Send()
    {
        var host = _hosts[_turn++ % _hosts.Count];
        if (!host.TryTake(_clock.Now, _settings.CpuSeconds, out var done))
        {
            _clock.Plan(new(EventKind.Refusal), _clock.Now + _settings.RefusalSeconds);
            return;
        }

        var wait = _settings.WriteMs > 0 ? _table.Next(_random) / 1000 : 0;
        _clock.Plan(new(EventKind.Answer, host, Since: _clock.Now), done + wait);
    }

    private void AddHost() => _hosts.Add(new(_settings.Cores, _settings.QueueLimit));

    private SiteResult Result() => new(
        _answered, _refused, _answered / _settings.RampSeconds, _answered == 0 ? double.NaN : _latency / _answered,
        new("answered", [.. _answeredInBin.Select((_, bin) => bin * BinSeconds)], [.. _answeredInBin.Select(count => count / BinSeconds)]));
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
