namespace DroneDelivery.Simulation.Workflow;

/// <summary>
/// When the client renews the lock of a message that a handler works on. It needs no events: what a lock that ends would be by then can be
/// computed when it ends.
/// </summary>
internal sealed class Renewal(HandlingSetting handling, QueueSetting queue)
{
    private static readonly long
        LongestMargin = Time.FromSeconds(10), AtOnce = Time.FromMilliseconds(400), Pause = Time.FromMilliseconds(1);

    private readonly long _longest = Time.FromSeconds(handling.RenewalSeconds), _lock = Time.FromSeconds(queue.LockSeconds);

    public bool IsOn => _longest > 0;

    /// <summary>The end of the lock as it is now.</summary>
    /// <param name="picked">When the handler began with the message.</param>
    /// <param name="lockedUntil">The end of the lock as it was then.</param>
    /// <param name="now">The present.</param>
    public long EndOf(long picked, long lockedUntil, long now)
    {
        if (!IsOn)
            return lockedUntil;
        for (var due = picked + Until(lockedUntil - picked); due <= now && due < lockedUntil && due <= picked + _longest;
            due += Math.Max(Pause, Until(lockedUntil - due)))
        {
            lockedUntil = due + _lock;
        }

        return lockedUntil;
    }

    /// <summary>Half of what is left, but not earlier than 10 s before the end.</summary>
    private static long Until(long left) => left < AtOnce ? 0 : left - Math.Min(left / 2, LongestMargin);
}
