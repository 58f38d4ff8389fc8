using DroneDelivery.Tracking.Validation;
using DroneDelivery.Tracking.Writing;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Tracking;

/// <summary><c>GET /track/{table}?account=…</c>: the pixel, once the writer has taken the hit. The writer decides
/// what this guarantees.</summary>
internal static class TrackHit
{
    public static async Task<IResult> HandleAsync(
        [TableName] string table,
        [EntityKey] string? account,
        HttpContext context,
        TrackedTables tables,
        IHitWriter writer,
        TimeProvider time)
    {
        if (!tables.Admits(table))
            return Invalid(nameof(table), "Hits of this table are not tracked here.");
        var tracker = ReaderCookie.Of(context);
        if (!ReaderCookie.IsValid(tracker))
            return Invalid(ReaderCookie.Name, $"Must be at most {ReaderCookie.MaxLength} characters and no control characters.");
        // Without the client's token: whether a hit counts does not depend on who closed the mail first.
        await writer.WriteAsync(Hit.New(table, account!, tracker, time.GetUtcNow()));
        return Pixel.Answer;
    }

    private static ValidationProblem Invalid(string field, string message) =>
        TypedResults.ValidationProblem(new Dictionary<string, string[]> { [field] = [message] });
}
