using Microsoft.Net.Http.Headers;

namespace DroneDelivery.Tracking;

/// <summary>One transparent pixel as PNG, which no cache keeps: each look is a hit.</summary>
internal sealed class Pixel : IResult
{
    // 1 × 1, 8 bits of grey, 8 bits of opacity, both 0.
    private static readonly byte[] Png = Convert.FromBase64String(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNgYAAAAAMAASsJTYQAAAAASUVORK5CYII=");

    private Pixel()
    {
    }

    public static Pixel Answer { get; } = new();

    public Task ExecuteAsync(HttpContext httpContext)
    {
        var response = httpContext.Response;
        response.ContentType = "image/png";
        response.ContentLength = Png.Length;
        response.Headers[HeaderNames.CacheControl] = "no-store";
        return response.Body.WriteAsync(Png, httpContext.RequestAborted).AsTask();
    }
}
