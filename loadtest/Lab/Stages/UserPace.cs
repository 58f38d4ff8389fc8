using DroneDelivery.Model.Simulation.Users;

namespace DroneDelivery.Lab.Stages;

/// <summary>Times between one user's requests: the profile's interval ± its jitter. In the open model k6 spaces arrivals evenly.</summary>
internal sealed class UserPace(StepProfile profile, int seed, int user)
{
    private UserChance _chance = new(seed, user);

    public TimeSpan Next() =>
        TimeSpan.FromMilliseconds(
            profile.RequestEveryMilliseconds * (1 + profile.Jitter * (2 * _chance.NextUniform() - 1))
        );
}
