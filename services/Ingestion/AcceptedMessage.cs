using System.Reflection;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.Metadata;

namespace DroneDelivery.Ingestion;

/// <summary>202 with the body of the message that was sent, which is not serialized a second time.</summary>
/// <typeparam name="T">The record that <paramref name="json"/> is.</typeparam>
internal sealed class AcceptedMessage<T>(string location, byte[] json) : IResult, IEndpointMetadataProvider
{
    public static void PopulateMetadata(MethodInfo method, EndpointBuilder builder) =>
        builder.Metadata.Add(
            new ProducesResponseTypeMetadata(StatusCodes.Status202Accepted, typeof(T), [QueueMessage.ContentType])
        );

    public Task ExecuteAsync(HttpContext httpContext)
    {
        var response = httpContext.Response;
        response.StatusCode = StatusCodes.Status202Accepted;
        response.Headers.Location = location;
        response.ContentType = QueueMessage.ContentType;
        response.ContentLength = json.Length;
        // Not cancelled: the message is sent, and a time limit that ends now must not say otherwise.
        return response.BodyWriter.WriteAsync(json, CancellationToken.None).AsTask();
    }
}
