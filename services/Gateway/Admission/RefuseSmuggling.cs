using System.Buffers;
using Microsoft.Net.Http.Headers;

namespace DroneDelivery.Gateway.Admission;

/// <summary>
/// Refuses a request whose length or path two servers could read differently. The server itself refuses several lengths, folded headers and
/// an encoding that is not chunked in the end; it accepts a length beside an encoding, and several encodings.
/// </summary>
internal static class RefuseSmuggling
{
    /// <summary>Where the server puts a length that it ignores.</summary>
    private const string IgnoredLength = "X-Content-Length";

    // Kestrel has decoded the path once and taken its dots away. Decoded a second time by somebody, what is left could be another path.
    private static readonly SearchValues<char> Ambiguous = SearchValues.Create("%\\");

    public static Task Before(HttpContext context, RequestDelegate next)
    {
        if (HasTwoLengths(context.Request))
        {
            context.Response.Headers[HeaderNames.Connection] = "close";
            return RefuseAsync(context, "A body has a Content-Length, or is chunked, and nothing besides.");
        }
        return context.Request.Path.Value.AsSpan().ContainsAny(Ambiguous)
            ? RefuseAsync(context, "A path has no encoded slash, backslash or percent sign.")
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

    private static Task RefuseAsync(HttpContext context, string detail) =>
        TypedResults.Problem(detail, statusCode: StatusCodes.Status400BadRequest).ExecuteAsync(context);
}
