using System.Text;
using DroneDelivery.Gateway.Routes;

namespace DroneDelivery.Gateway.Policies;

/// <summary>Answers without a backend.</summary>
internal static class ReturnResponse
{
    public static Step Of(ReturnResponseOptions options)
    {
        var body = Encoding.UTF8.GetBytes(options.Body ?? "");
        return (context, _) =>
        {
            var response = context.Response;
            response.StatusCode = options.Status;
            response.ContentType = options.ContentType;
            response.ContentLength = body.Length;
            return response.BodyWriter.WriteAsync(body, context.RequestAborted).AsTask();
        };
    }
}
