using DroneDelivery.Contracts;

namespace DroneDelivery.Lab.Stages;

/// <summary>Step load: users are added a few at a time until all are there. Read by k6 and by the lab's own driver.</summary>
/// <param name="Name">File name without <c>.json</c>.</param>
/// <param name="RequestEveryMilliseconds">Mean time between the starts of one user's requests.</param>
/// <param name="Jitter">Share by which that time varies, evenly: 0.25 is ±25 %.</param>
/// <param name="InstructionsLength">Characters of instructions in each request.</param>
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

    /// <summary>The profile of a run shortened by <paramref name="k"/>: the same users and rates in less time.</summary>
    public StepProfile Shorten(double k) =>
        this with
        {
            StepSeconds = StepSeconds / k,
            DurationSeconds = DurationSeconds / k,
        };

    /// <summary>Users at a time (seconds since the load began); none once it is over.</summary>
    public int UsersAt(double seconds) =>
        seconds < 0 || seconds >= DurationSeconds
            ? 0
            : (int)Math.Min(MaxUsers, StartUsers + StepUsers * Math.Floor(seconds / StepSeconds));

    /// <summary>When a user (from 0) begins, in seconds since the load began.</summary>
    public double StartOf(int user) => user < StartUsers ? 0 : ((user - StartUsers) / StepUsers + 1) * StepSeconds;

    public double PlateauStart => StartOf(MaxUsers - 1);

    /// <summary>Requests that a system which answers at once would get.</summary>
    public double ExpectedRequests =>
        Enumerable.Range(0, MaxUsers).Sum(user => Math.Max(0, DurationSeconds - StartOf(user)))
        * 1000
        / RequestEveryMilliseconds;

    /// <summary>The same ramp with as many users as send so many requests a second.</summary>
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
                $"profile {Name}: users, steps, durations and the request interval have to be positive, "
                    + "maxUsers at least startUsers, jitter from 0 to below 1, "
                    + $"instructionsLength from 0 to {DeliveryRequest.MaxInstructionsLength}."
            );
        }

        return this;
    }
}
