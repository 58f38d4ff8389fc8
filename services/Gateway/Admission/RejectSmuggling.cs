using System.Buffers;
using Microsoft.Net.Http.Headers;

namespace DroneDelivery.Gateway.Admission;

/// <summary>
/// Rejects requests whose length or path two servers could interpret differently. Kestrel rejects multiple lengths, folded headers, and
/// encodings that don't end in chunked, but not a length with an encoding, or multiple encodings.
/// </summary>
internal static class RejectSmuggling
{
    /// <summary>The header to which Kestrel moves a length that it ignores.</summary>
    private const string IgnoredLength = "X-Content-Length";

    // Kestrel has decoded the path. Decoded again, these characters could change it.
    private static readonly SearchValues<char> Ambiguous = SearchValues.Create("%\\");

    public static Task Before(HttpContext context, RequestDelegate next)
    {
        if (HasTwoLengths(context.Request))
        {
            context.Response.Headers[HeaderNames.Connection] = "close";
            return RejectAsync(
                context,
                "The request must have either a Content-Length or the Transfer-Encoding chunked."
            );
        }
        return context.Request.Path.Value.AsSpan().ContainsAny(Ambiguous)
            ? RejectAsync(context, "The path must not contain an encoded slash, backslash, or percent sign.")
            : next(context);
    }

    private static bool HasTwoLengths(HttpRequest request)
    {
        var encoding = request.Headers.TransferEncoding;
        return encoding.Count > 0
            && (
                request.ContentLength is not null
                || request.Headers.ContainsKey(IgnoredLength)
                || !string.Equals(encoding.ToString(), "chunked", StringComparison.OrdinalIgnoreCase)
            );
    }

    private static Task RejectAsync(HttpContext context, string detail) =>
        TypedResults.Problem(detail, statusCode: StatusCodes.Status400BadRequest).ExecuteAsync(context);
}
