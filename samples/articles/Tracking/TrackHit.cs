using System.ComponentModel.DataAnnotations;
using DroneDelivery.Tracking.Writing;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Tracking;

/// <summary>
/// <c>GET /track/{table}?account=…</c>: returns the pixel when the writer has accepted the hit. The writer determines what this guarantees.
/// </summary>
internal static class TrackHit
{
    /// <summary>A transparent pixel: 1 × 1, with 8 bits of gray and 8 bits of opacity, both 0.</summary>
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
            return TypedResults.Bytes(Pixel, "image/png"); // a HEAD request shows no pixel
        // Not cancelled if the client disconnects.
        await writer.WriteAsync(Hit.New(table, account, tracker, time.GetUtcNow()));
        context.Response.Headers.CacheControl = "no-store"; // so that each view is a hit
        return TypedResults.Bytes(Pixel, "image/png");
    }

    private static ValidationProblem Invalid(string field, string message) =>
        TypedResults.ValidationProblem(new Dictionary<string, string[]> { [field] = [message] });
}
