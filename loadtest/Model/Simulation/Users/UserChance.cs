namespace DroneDelivery.Model.Simulation.Users;

/// <summary>
/// Random numbers of one user (from 0), the same for the same seed on any machine: mulberry32, for the built-in load generator and the
/// model.
/// </summary>
public struct UserChance(int seed, int user)
{
    private uint _state = unchecked((uint)seed * 0x9E3779B1u + (uint)user);

    /// <summary>From 0 to below 1.</summary>
    public double NextUniform()
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
