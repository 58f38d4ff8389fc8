using DroneDelivery.Contracts;

namespace DroneDelivery.Lab.Stages;

/// <summary>Step load for k6 and the built-in load generator.</summary>
/// <param name="Jitter">The relative jitter of the interval: 0.25 is ±25 %.</param>
/// <param name="InstructionsLength">In characters.</param>
internal sealed record StepProfile(
    string Name,
    string Description,
    int StartUsers,
    int StepUsers,
    double StepSeconds,
    int MaxUsers,
    double DurationSeconds,
    double RequestEveryMilliseconds,
    double Jitter,
    int InstructionsLength = 0
)
{
    public static StepProfile Load(string name) => LabFile.Read<StepProfile>("profiles", name).Valid();

    /// <summary>Returns the profile with the same users and rates in 1/<paramref name="k"/> of the time.</summary>
    public StepProfile Shorten(double k) =>
        this with
        {
            StepSeconds = StepSeconds / k,
            DurationSeconds = DurationSeconds / k,
        };

    /// <summary>Returns the number of users at a time in seconds; 0 after the end.</summary>
    public int UsersAt(double seconds) =>
        seconds < 0 || seconds >= DurationSeconds
            ? 0
            : (int)Math.Min(MaxUsers, StartUsers + StepUsers * Math.Floor(seconds / StepSeconds));

    /// <summary>Returns when a user (from 0) starts, in seconds.</summary>
    public double StartOf(int user) => user < StartUsers ? 0 : ((user - StartUsers) / StepUsers + 1) * StepSeconds;

    public double PlateauStart => StartOf(MaxUsers - 1);

    /// <summary>The number of requests if responses take no time.</summary>
    public double ExpectedRequests =>
        Enumerable.Range(0, MaxUsers).Sum(user => Math.Max(0, DurationSeconds - StartOf(user)))
        * 1000
        / RequestEveryMilliseconds;

    /// <summary>Returns the same ramp with the number of users for a request rate.</summary>
    public StepProfile AtRate(double rate)
    {
        var users = Math.Max(1, (int)Math.Ceiling(rate * RequestEveryMilliseconds / 1000));
        var share = users / (double)MaxUsers;
        return this with
        {
            MaxUsers = users,
            StartUsers = Math.Clamp((int)Math.Round(StartUsers * share), 1, users),
            StepUsers = Math.Max(1, (int)Math.Round(StepUsers * share)),
            RequestEveryMilliseconds = users * 1000 / rate,
        };
    }

    private StepProfile Valid()
    {
        if (
            StartUsers < 1
            || StepUsers < 1
            || MaxUsers < StartUsers
            || StepSeconds <= 0
            || DurationSeconds <= 0
            || RequestEveryMilliseconds <= 0
            || Jitter is < 0 or >= 1
            || InstructionsLength is < 0 or > DeliveryRequest.MaxInstructionsLength
        )
        {
            throw new BadInputException(
                $"profile {Name}: users, steps, durations and the request interval must be positive, "
                    + "maxUsers at least startUsers, jitter from 0 to below 1, "
                    + $"instructionsLength from 0 to {DeliveryRequest.MaxInstructionsLength}."
            );
        }

        return this;
    }
}
