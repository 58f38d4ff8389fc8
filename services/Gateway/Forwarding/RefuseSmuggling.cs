using DroneDelivery.Gateway.Policies;
using Microsoft.Net.Http.Headers;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>
/// Refuses a request whose length two servers could read differently. The server itself refuses several lengths, folded headers and an
/// encoding that is not chunked in the end; it accepts a length beside an encoding, and several encodings.
/// </summary>
internal static class RefuseSmuggling
{
    /// <summary>Where the server puts a length that it ignores.</summary>
    private const string IgnoredLength = "X-Content-Length";

    public static Task Before(HttpContext context, RequestDelegate next) =>
        IsAmbiguous(context.Request) ? RefuseAsync(context) : next(context);

    private static bool IsAmbiguous(HttpRequest request)
    {
        var encoding = request.Headers.TransferEncoding;
        return encoding.Count > 0
            && (request.ContentLength is not null
                || request.Headers.ContainsKey(IgnoredLength)
                || !string.Equals(encoding.ToString(), "chunked", StringComparison.OrdinalIgnoreCase));
    }

    private static Task RefuseAsync(HttpContext context)
    {
        context.Response.Headers[HeaderNames.Connection] = "close";
        return Refusal.AnswerAsync(
            context, StatusCodes.Status400BadRequest, "A body has a Content-Length, or is chunked, and nothing besides.");
    }
}
