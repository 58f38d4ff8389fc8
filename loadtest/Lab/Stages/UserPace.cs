using DroneDelivery.Model.Simulation.Users;

namespace DroneDelivery.Lab.Stages;

/// <summary>The intervals between a user's requests. In the open model, k6 spaces arrivals evenly.</summary>
internal sealed class UserPace(StepProfile profile, int seed, int user)
{
    private UserRandom _chance = new(seed, user);

    public TimeSpan Next() =>
        TimeSpan.FromMilliseconds(
            profile.RequestEveryMilliseconds * (1 + profile.Jitter * (2 * _chance.NextUniform() - 1))
        );
}
