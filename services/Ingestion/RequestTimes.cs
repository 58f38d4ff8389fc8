using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Ingestion;

internal static class RequestTimes
{
    // Samples and load tests contain dates that a smaller value would reject.
    private const int MaxYearsAhead = 10;

    // A client may retry a request whose deadline has just passed.
    private static readonly TimeSpan RetryTolerance = TimeSpan.FromDays(1);

    /// <returns><c>null</c> if the times are valid.</returns>
    public static ValidationProblem? FindError(DateTimeOffset? pickupTime, DateTimeOffset? deadline, TimeProvider time)
    {
        if (pickupTime > time.GetUtcNow().AddYears(MaxYearsAhead))
            return Error("pickupTime", $"Must be within {MaxYearsAhead} years.");
        if (deadline < time.GetUtcNow() - RetryTolerance)
            return Error("deadline", "Must not be in the past.");
        return deadline < pickupTime ? Error("deadline", "Must not be before pickupTime.") : null;
    }

    private static ValidationProblem Error(string field, string error) =>
        TypedResults.ValidationProblem(new Dictionary<string, string[]> { [field] = [error] });
}
