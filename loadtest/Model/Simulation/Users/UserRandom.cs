namespace DroneDelivery.Model.Simulation.Users;

/// <summary>
/// The random numbers (mulberry32) of one user, from 0, for the built-in load generator and the model; the same on any machine.
/// </summary>
public struct UserRandom(int seed, int user)
{
    private uint _state = unchecked((uint)seed * 0x9E3779B1u + (uint)user);

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
