using Microsoft.AspNetCore.Authorization;

namespace DroneDelivery.Gateway.Admission;

/// <summary>401 for a request without the key of a subscriber, on each route but those whose AuthorizationPolicy is Anonymous.</summary>
internal sealed class RequireKey(RequestDelegate next, SubscriptionKeys keys)
{
    public Task InvokeAsync(HttpContext context)
    {
        if (keys.SubscriberOf(context.Request.Headers[SubscriptionKeys.Header]) is { } subscriber)
            context.User = subscriber;
        else if (context.GetEndpoint()?.Metadata.GetMetadata<IAllowAnonymous>() is null)
            return RefuseAsync(context);
        return next(context);
    }

    private static Task RefuseAsync(HttpContext context)
    {
        context.Response.Headers.WWWAuthenticate = $"ApiKey name=\"{SubscriptionKeys.Header}\"";
        return TypedResults
            .Problem($"Send a valid subscription key in the header {SubscriptionKeys.Header}.", statusCode: 401)
            .ExecuteAsync(context);
    }
}
