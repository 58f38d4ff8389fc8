using System.Text;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.Net.Http.Headers;

namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>
/// Rejects bodies in an unsupported encoding with 415. The framework ignores <c>Content-Encoding</c>, and throws on an unknown or quoted
/// charset.
/// </summary>
internal static class BodyEncoding
{
    public static Task CheckAsync(HttpContext context, RequestDelegate next)
    {
        var readsBody = context.GetEndpoint()?.Metadata.GetMetadata<IAcceptsMetadata>() is not null;
        if (!readsBody || IsSupported(context.Request))
            return next(context);
        context.Response.StatusCode = StatusCodes.Status415UnsupportedMediaType;
        return Task.CompletedTask;
    }

    private static bool IsSupported(HttpRequest request)
    {
        if (request.Headers.ContentEncoding.ToString() is not ("" or "identity"))
            return false;
        if (!MediaTypeHeaderValue.TryParse(request.ContentType, out var type) || !type.Charset.HasValue)
            return true;
        try
        {
            var charset = HeaderUtilities.RemoveQuotes(type.Charset).ToString();
            Encoding.GetEncoding(charset);
            type.Charset = charset;
            request.ContentType = type.ToString();
            return true;
        }
        catch (Exception unknown) when (unknown is ArgumentException or NotSupportedException)
        {
            return false;
        }
    }
}
