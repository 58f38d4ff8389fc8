using System.Buffers;
using System.IO.Compression;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>The ingestion endpoint of Application Insights. Senders need an <c>IngestionEndpoint</c> that ends with a slash.</summary>
public static class TelemetryIngestion
{
    /// <summary>Bytes of one upload after decompression; a larger one is answered with 413.</summary>
    public const int MaxUploadBytes = 16 << 20;

    /// <summary>Maps the uploads of the 2.x and 3.x SDKs and their question for the application id.</summary>
    public static IEndpointConventionBuilder MapTelemetryIngestion(
        this IEndpointRouteBuilder routes,
        TelemetryStore store
    )
    {
        var group = routes.MapGroup("");
        Delegate track = (HttpContext context) => Track(context, store);
        group.MapPost("/v2/track", track);
        group.MapPost("/v2.1/track", track);
        // 3.x puts "/v2.1/track" behind an endpoint that ends with a slash: the path begins with two, and only a catch-all takes an empty
        // segment.
        group
            .Map(RoutePatternFactory.Parse("/{**path}", null, new { path = new AfterTwoSlashes() }), track)
            .WithMetadata(new HttpMethodMetadata([HttpMethods.Post]));
        // An id would come back as part of the source of every request.
        group.MapGet("/api/profiles/{ikey}/appId", () => TypedResults.NotFound());
        return group;
    }

    private static async Task<Results<JsonHttpResult<TrackResponse>, StatusCodeHttpResult>> Track(
        HttpContext context,
        TelemetryStore store
    )
    {
        var (body, length, refusal) = await ReadBodyAsync(context.Request, context.RequestAborted);
        try
        {
            if (refusal is { } status)
            {
                store.CountRefusedUpload();
                return TypedResults.StatusCode(status);
            }
            var answer = AnswerTo(store.Ingest(body.AsMemory(0, length), context.Request.Host.Value));
            return TypedResults.Json(answer, statusCode: StatusFor(answer));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(body);
        }
    }

    // Who sends what happened before the run has made no mistake, and would only log that everything is refused.
    private static TrackResponse AnswerTo(IngestResult result)
    {
        var errors = result.Errors.Where(error => error.Reason != RefusalReason.BeforeTheRun).ToList();
        return new(result.Received, result.Accepted + result.Early, errors);
    }

    private static int StatusFor(TrackResponse answer) =>
        answer.ItemsAccepted == answer.ItemsReceived ? StatusCodes.Status200OK
        : answer.ItemsAccepted > 0 ? StatusCodes.Status206PartialContent
        : StatusCodes.Status400BadRequest;

    /// <returns>A rented buffer, how much of it is the body, and the status that refuses the body, if any.</returns>
    private static async Task<(byte[] Body, int Length, int? Refusal)> ReadBodyAsync(
        HttpRequest request,
        CancellationToken cancellationToken
    )
    {
        var body = ArrayPool<byte>.Shared.Rent(1 << 16);
        var length = 0;
        var encoding = request.Headers.ContentEncoding.ToString();
        if (encoding is not ("" or "identity" or "gzip"))
            return (body, 0, StatusCodes.Status415UnsupportedMediaType);
        await using var content =
            encoding == "gzip" ? new GZipStream(request.Body, CompressionMode.Decompress) : request.Body;
        try
        {
            while (await content.ReadAsync(body.AsMemory(length), cancellationToken) is > 0 and var more)
            {
                length += more;
                if (length > MaxUploadBytes)
                    return (body, 0, StatusCodes.Status413PayloadTooLarge);
                if (length == body.Length)
                    body = Enlarge(body);
            }
            return (body, length, null);
        }
        catch (InvalidDataException)
        {
            return (body, 0, StatusCodes.Status400BadRequest);
        }
        catch (BadHttpRequestException exception)
        {
            return (body, 0, exception.StatusCode); // the server's own limit on what comes over the wire
        }
    }

    private static byte[] Enlarge(byte[] body)
    {
        var larger = ArrayPool<byte>.Shared.Rent(body.Length * 2);
        body.CopyTo(larger, 0);
        ArrayPool<byte>.Shared.Return(body);
        return larger;
    }

    private sealed class AfterTwoSlashes : IRouteConstraint
    {
        public bool Match(
            HttpContext? httpContext,
            IRouter? route,
            string routeKey,
            RouteValueDictionary values,
            RouteDirection routeDirection
        ) => values[routeKey] is "/v2.1/track";
    }

    private sealed record TrackResponse(
        [property: JsonPropertyName("itemsReceived")] int ItemsReceived,
        [property: JsonPropertyName("itemsAccepted")] int ItemsAccepted,
        [property: JsonPropertyName("errors")] IReadOnlyList<ItemError> Errors
    );
}
