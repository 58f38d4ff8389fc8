using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Ingestion;

/// <summary>
/// What no attribute can say of the times of a request: how they stand to each other and to the clock. Only people are refused for it:
/// Workflow takes what an older Ingestion has accepted.
/// </summary>
internal static class RequestTimes
{
    /// <returns>Null: nothing is wrong with them.</returns>
    public static ValidationProblem? RefusalOf(DateTimeOffset? pickupTime, DateTimeOffset? deadline) =>
        deadline < pickupTime ? Refusal("deadline", "Must not be before pickupTime.") : null;

    private static ValidationProblem Refusal(string field, string mistake) =>
        TypedResults.ValidationProblem(new Dictionary<string, string[]> { [field] = [mistake] });
}
