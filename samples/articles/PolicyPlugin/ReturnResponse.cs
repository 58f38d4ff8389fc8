using System.Text;
using Yarp.ReverseProxy.Transforms;
using Yarp.ReverseProxy.Transforms.Builder;

namespace DroneDelivery.PolicyPlugin;

/// <summary><c>"Transforms": [{ "ReturnResponse": "Hello" }]</c>: returns this string, without forwarding the request.</summary>
internal sealed class ReturnResponse : ITransformFactory
{
    public bool Validate(
        TransformRouteValidationContext context,
        IReadOnlyDictionary<string, string> transformValues
    ) => transformValues.ContainsKey(nameof(ReturnResponse));

    public bool Build(TransformBuilderContext context, IReadOnlyDictionary<string, string> transformValues)
    {
        if (!transformValues.TryGetValue(nameof(ReturnResponse), out var text))
            return false;
        var body = Encoding.UTF8.GetBytes(text);
        context.AddRequestTransform(async transform =>
        {
            var response = transform.HttpContext.Response;
            response.ContentType = "text/plain";
            response.ContentLength = body.Length;
            await response.BodyWriter.WriteAsync(body, transform.CancellationToken);
        });
        return true;
    }
}
