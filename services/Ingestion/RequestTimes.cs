using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Ingestion;

/// <summary>What no attribute can say of the times of a request: how they stand to each other and to the clock.</summary>
internal static class RequestTimes
{
    // A delivery is kept until it has flown, so without a bound some would be kept for ever. Samples and load tests have dates in files,
    // which a closer bound would refuse.
    private const int MostYearsAhead = 10;

    // A client may repeat a request whose deadline has just passed.
    private static readonly TimeSpan Repetition = TimeSpan.FromDays(1);

    /// <returns>Null: nothing is wrong with them.</returns>
    public static ValidationProblem? RefusalOf(DateTimeOffset? pickupTime, DateTimeOffset? deadline, TimeProvider time)
    {
        if (pickupTime > time.GetUtcNow().AddYears(MostYearsAhead))
            return Refusal("pickupTime", $"Must be within {MostYearsAhead} years.");
        if (deadline < time.GetUtcNow() - Repetition)
            return Refusal("deadline", "Must not be in the past.");
        return deadline < pickupTime ? Refusal("deadline", "Must not be before pickupTime.") : null;
    }

    private static ValidationProblem Refusal(string field, string mistake) =>
        TypedResults.ValidationProblem(new Dictionary<string, string[]> { [field] = [mistake] });
}
