namespace DroneDelivery.Lab.Stages;

/// <summary>
/// The times between one user's requests: the profile's interval ± its jitter, the same for the same seed and user on any machine.
/// The numbers come from mulberry32, a generator of 32 bits that is a few lines in JavaScript too: k6 and the lab's own driver draw alike.
/// In the open model k6 spaces arrivals evenly instead.
/// </summary>
/// <param name="user">From 0.</param>
internal sealed class UserPace(StepProfile profile, int seed, int user)
{
    private uint _state = unchecked((uint)seed * 0x9E3779B1u + (uint)user);

    public TimeSpan Next() =>
        TimeSpan.FromMilliseconds(profile.RequestEveryMilliseconds * (1 + profile.Jitter * (2 * NextUniform() - 1)));

    /// <summary>From 0 to below 1.</summary>
    private double NextUniform()
    {
        unchecked
        {
            _state += 0x6D2B79F5u;
            var t = (_state ^ (_state >> 15)) * (_state | 1);
            t ^= t + (t ^ (t >> 7)) * (t | 61);
            return (t ^ (t >> 14)) / 4294967296.0;
        }
    }
}
