using Microsoft.AspNetCore.Authorization;

namespace DroneDelivery.Gateway.Admission;

/// <summary>Rejects requests without a valid subscription key with 401, except on routes with the AuthorizationPolicy Anonymous.</summary>
internal sealed class RequireKey(RequestDelegate next, SubscriptionKeys keys)
{
    public Task InvokeAsync(HttpContext context)
    {
        if (keys.SubscriberOf(context.Request.Headers[SubscriptionKeys.Header]) is { } subscriber)
            context.User = subscriber;
        else if (context.GetEndpoint()?.Metadata.GetMetadata<IAllowAnonymous>() is null)
            return RejectAsync(context);
        return next(context);
    }

    private static Task RejectAsync(HttpContext context)
    {
        context.Response.Headers.WWWAuthenticate = $"ApiKey name=\"{SubscriptionKeys.Header}\"";
        return TypedResults
            .Problem($"Send a valid subscription key in the header {SubscriptionKeys.Header}.", statusCode: 401)
            .ExecuteAsync(context);
    }
}
