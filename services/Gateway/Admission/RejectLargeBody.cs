namespace DroneDelivery.Gateway.Admission;

/// <summary>Rejects a body with 413 if its Content-Length exceeds the route's limit. YARP counts the bytes of a body without one.</summary>
internal static class RejectLargeBody
{
    public static Task Before(HttpContext context, RequestDelegate next) =>
        context.GetReverseProxyFeature().Route.Config.MaxRequestBodySize is { } limit
        && context.Request.ContentLength > limit
            ? TypedResults
                .Problem($"The body must not exceed {limit} bytes.", statusCode: StatusCodes.Status413PayloadTooLarge)
                .ExecuteAsync(context)
            : next(context);
}
