namespace DroneDelivery.Gateway.Admission;

/// <summary>413 for a body whose Content-Length is larger than its route allows. YARP counts the bytes of a body without one.</summary>
internal static class RefuseLargeBody
{
    public static Task Before(HttpContext context, RequestDelegate next) =>
        context.GetReverseProxyFeature().Route.Config.MaxRequestBodySize is { } most
        && context.Request.ContentLength > most
            ? TypedResults
                .Problem($"A body has at most {most} bytes here.", statusCode: StatusCodes.Status413PayloadTooLarge)
                .ExecuteAsync(context)
            : next(context);
}
