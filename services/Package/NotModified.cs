using Microsoft.Net.Http.Headers;

namespace DroneDelivery.Package;

/// <summary>Returns 304 without a body if <c>If-None-Match</c> contains the response's ETag.</summary>
internal sealed class NotModified : IEndpointFilter
{
    public async ValueTask<object?> InvokeAsync(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
    {
        var result = await next(context);
        var (request, response) = (context.HttpContext.Request, context.HttpContext.Response);
        return
            EntityTagHeaderValue.TryParse(response.Headers.ETag.ToString(), out var tag)
            && request
                .GetTypedHeaders()
                .IfNoneMatch.Any(known =>
                    known.Equals(EntityTagHeaderValue.Any) || known.Compare(tag, useStrongComparison: false)
                )
            ? TypedResults.StatusCode(StatusCodes.Status304NotModified)
            : result;
    }
}
