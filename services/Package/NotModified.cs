using Microsoft.Net.Http.Headers;

namespace DroneDelivery.Package;

/// <summary>A GET whose answer has an ETag that the client knows (If-None-Match): 304, without a body.</summary>
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
