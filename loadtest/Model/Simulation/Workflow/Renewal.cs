namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>The client's lock renewal. It needs no events: renewals are computed when a lock would expire.</summary>
internal sealed class Renewal(HandlingSetting handling, QueueSetting queue, IReadOnlyList<Fault> faults)
{
    private static readonly long LongestMargin = Time.FromSeconds(10),
        AtOnce = Time.FromMilliseconds(400),
        Pause = Time.FromMilliseconds(1);

    private readonly long _longest = Time.FromSeconds(handling.RenewalSeconds),
        _lock = Time.FromSeconds(queue.LockSeconds);

    private readonly (long From, long To)[] _pauses =
    [
        .. faults
            .Where(fault => fault.Kind == FaultKind.PauseBroker)
            .Select(fault => (Time.FromSeconds(fault.FromSeconds), Time.FromSeconds(fault.ToSeconds))),
    ];

    public bool IsOn => _longest > 0;

    /// <summary>Returns the current expiry of a lock; a paused broker renews none.</summary>
    /// <param name="picked">When the handler started the message.</param>
    /// <param name="lockedUntil">The expiry of the lock at that time.</param>
    public long EndOf(long picked, long lockedUntil, long now)
    {
        if (!IsOn)
            return lockedUntil;
        for (
            var due = picked + Until(lockedUntil - picked);
            due <= now && due < lockedUntil && due <= picked + _longest;
            due += Math.Max(Pause, Until(lockedUntil - due))
        )
        {
            due = Answered(due);
            if (due >= lockedUntil || due > now)
                break;
            lockedUntil = due + _lock;
        }

        return lockedUntil;
    }

    private long Answered(long due)
    {
        foreach (var (from, to) in _pauses)
        {
            if (due >= from && due < to)
                return to;
        }

        return due;
    }

    /// <summary>Returns the time until the renewal: half of the remaining time, but at most 10 s before expiry.</summary>
    private static long Until(long left) => left < AtOnce ? 0 : left - Math.Min(left / 2, LongestMargin);
}
