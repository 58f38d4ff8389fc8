namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>
/// When the client renews the lock of a message that a handler works on. It needs no events: what a lock that ends would be by then can be
/// computed when it ends.
/// </summary>
/// <param name="faults">While the broker stands still, it renews none.</param>
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

    /// <summary>The end of the lock as it is now.</summary>
    /// <param name="picked">When the handler began with the message.</param>
    /// <param name="lockedUntil">The end of the lock as it was then.</param>
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

    /// <summary>Half of what is left, but not earlier than 10 s before the end.</summary>
    private static long Until(long left) => left < AtOnce ? 0 : left - Math.Min(left / 2, LongestMargin);
}
