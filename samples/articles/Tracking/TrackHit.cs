using System.ComponentModel.DataAnnotations;
using DroneDelivery.Tracking.Writing;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Tracking;

/// <summary><c>GET /track/{table}?account=…</c>: the pixel, once the writer has taken the hit. The writer decides
/// what this guarantees.</summary>
internal static class TrackHit
{
    /// <summary>One transparent pixel: 1 × 1, 8 bits of gray, 8 bits of opacity, both 0.</summary>
    private static readonly byte[] Pixel = Convert.FromBase64String(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNgYAAAAAMAASsJTYQAAAAASUVORK5CYII="
    );

    public static async Task<IResult> HandleAsync(
        [RegularExpression(Hit.TableName, ErrorMessage = Hit.TableNameRule)] string table,
        [Required(ErrorMessage = Hit.KeyRule), RegularExpression(Hit.Key, ErrorMessage = Hit.KeyRule)] string account,
        HttpContext context,
        TrackedTables tables,
        IHitWriter writer,
        TimeProvider time
    )
    {
        if (!tables.Admits(table))
            return Invalid(nameof(table), "Hits of this table are not tracked here.");
        var tracker = ReaderCookie.Of(context);
        if (!ReaderCookie.IsValid(tracker))
        {
            return Invalid(
                ReaderCookie.Name,
                $"Must be at most {ReaderCookie.MaxLength} characters and no control characters."
            );
        }
        if (HttpMethods.IsHead(context.Request.Method))
            return TypedResults.Bytes(Pixel, "image/png"); // it shows no pixel
        // Without the client's token: whether a hit counts does not depend on who closed the mail first.
        await writer.WriteAsync(Hit.New(table, account, tracker, time.GetUtcNow()));
        context.Response.Headers.CacheControl = "no-store"; // each look is a hit
        return TypedResults.Bytes(Pixel, "image/png");
    }

    private static ValidationProblem Invalid(string field, string message) =>
        TypedResults.ValidationProblem(new Dictionary<string, string[]> { [field] = [message] });
}
