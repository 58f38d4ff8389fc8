namespace DroneDelivery.Model.Simulation.Calls;

/// <summary>
/// The circuit breaker of one Workflow for one back end. When closed, it counts calls in a window of ten parts. After the break, one
/// half-open probe decides.
/// </summary>
internal sealed class Breaker
{
    private const int Parts = 10;
    private const long LongAgo = long.MinValue / 2;

    // One more than the window has, so a part has left the window when it is overwritten.
    private readonly long[] _begins = new long[Parts + 1];
    private readonly int[] _calls = new int[Parts + 1],
        _failures = new int[Parts + 1];
    private readonly CallSetting _setting;
    private readonly long _window,
        _break;
    private readonly int _minimum;
    private int _last;
    private long _blockedUntil;
    private bool _isHalfOpen;

    public Breaker(CallSetting setting)
    {
        _setting = setting;
        (_window, _break) = (
            Time.FromSeconds(setting.BreakerWindowSeconds),
            Time.FromSeconds(setting.BreakerBreakSeconds)
        );
        _minimum = setting.BreakerMinimum * (1 + setting.RetrySeconds.Count); // every attempt counts
        Array.Fill(_begins, LongAgo);
    }

    public bool IsClosed { get; private set; } = true;

    /// <summary>The end of the break; in the past if the circuit isn't open.</summary>
    public long OpenUntil => IsClosed || _isHalfOpen ? LongAgo : _blockedUntil;

    public bool Allows(long now)
    {
        if (IsClosed)
            return true;
        if (now < _blockedUntil)
            return false;
        (_isHalfOpen, _blockedUntil) = (true, now + _break);
        return true;
    }

    /// <returns>Whether the circuit has opened or closed.</returns>
    public bool Record(long now, bool failed)
    {
        var (wasClosed, openUntil) = (IsClosed, OpenUntil);
        if (IsClosed)
            Count(now, failed);
        else if (_isHalfOpen && failed)
            Open(now);
        else if (_isHalfOpen)
            Close();
        return (wasClosed, openUntil) != (IsClosed, OpenUntil);
    }

    private void Count(long now, bool failed)
    {
        if (now - _begins[_last] >= _window / Parts)
        {
            _last = (_last + 1) % _begins.Length;
            (_begins[_last], _calls[_last], _failures[_last]) = (now, 0, 0);
        }

        _calls[_last]++;
        if (!failed)
            return;
        _failures[_last]++;
        if (IsTooMuch(now))
            Open(now);
    }

    private bool IsTooMuch(long now)
    {
        var (calls, failures) = (0, 0);
        for (var part = 0; part < _begins.Length; part++)
        {
            var isInWindow = now - _begins[part] < _window;
            calls += isInWindow ? _calls[part] : 0;
            failures += isInWindow ? _failures[part] : 0;
        }

        return calls >= _minimum && failures >= _setting.BreakerRatio * calls;
    }

    private void Open(long now) => (IsClosed, _isHalfOpen, _blockedUntil) = (false, false, now + _break);

    private void Close()
    {
        (IsClosed, _isHalfOpen) = (true, false);
        Array.Fill(_begins, LongAgo);
    }
}
