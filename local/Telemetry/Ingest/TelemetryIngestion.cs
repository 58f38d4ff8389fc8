using System.Buffers;
using System.IO.Compression;
using System.IO.Pipelines;
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
    /// <summary>The maximum size of a decompressed upload, in bytes. Larger ones return 413.</summary>
    public const int MaxUploadBytes = 16 << 20;

    /// <summary>Maps the routes for uploads of the 2.x and 3.x SDKs, and for their query of the application
    /// ID.</summary>
    public static IEndpointConventionBuilder MapTelemetryIngestion(
        this IEndpointRouteBuilder routes,
        TelemetryStore store
    )
    {
        var group = routes.MapGroup("");
        Delegate track = (HttpContext context) => Track(context, store);
        group.MapPost("/v2/track", track);
        group.MapPost("/v2.1/track", track);
        // 3.x SDKs append "/v2.1/track" to an endpoint that ends with a slash, so the path starts with two slashes.
        // Only a catch-all parameter matches an empty segment.
        group
            .Map(RoutePatternFactory.Parse("/{**path}", null, new { path = new AfterTwoSlashes() }), track)
            .WithMetadata(new HttpMethodMetadata([HttpMethods.Post]));
        // Otherwise, SDKs would add an ID to the source of every request.
        group.MapGet("/api/profiles/{ikey}/appId", () => TypedResults.NotFound());
        return group;
    }

    private static async Task<Results<JsonHttpResult<TrackResponse>, StatusCodeHttpResult>> Track(
        HttpContext context,
        TelemetryStore store
    )
    {
        var (body, refusal) = await ReadBodyAsync(context.Request, context.RequestAborted);
        if (refusal is { } status)
        {
            store.CountRefusedUpload();
            return TypedResults.StatusCode(status);
        }
        var answer = ResponseFor(store.Ingest(body, context.Request.Host.Value));
        return TypedResults.Json(answer, statusCode: StatusFor(answer));
    }

    private static TrackResponse ResponseFor(IngestResult result)
    {
        var errors = result.Errors.Where(error => error.Reason != RefusalReason.BeforeTheRun).ToList();
        return new(result.Received, result.Accepted + result.Early, errors);
    }

    private static int StatusFor(TrackResponse answer) =>
        answer.ItemsAccepted == answer.ItemsReceived ? StatusCodes.Status200OK
        : answer.ItemsAccepted > 0 ? StatusCodes.Status206PartialContent
        : StatusCodes.Status400BadRequest;

    /// <returns>The body, and the status code if it's rejected.</returns>
    private static async Task<(byte[] Body, int? Refusal)> ReadBodyAsync(
        HttpRequest request,
        CancellationToken cancellationToken
    )
    {
        var encoding = request.Headers.ContentEncoding.ToString();
        if (encoding is not ("" or "identity" or "gzip"))
            return ([], StatusCodes.Status415UnsupportedMediaType);
        await using var content =
            encoding == "gzip" ? new GZipStream(request.Body, CompressionMode.Decompress) : request.Body;
        var reader = PipeReader.Create(content, new(bufferSize: 1 << 16));
        try
        {
            // ReadAtLeastAsync would allocate the maximum size for each upload.
            var read = await reader.ReadAsync(cancellationToken);
            while (!read.IsCompleted && read.Buffer.Length <= MaxUploadBytes)
            {
                reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
                read = await reader.ReadAsync(cancellationToken);
            }

            if (read.Buffer.Length > MaxUploadBytes)
                return ([], StatusCodes.Status413PayloadTooLarge);
            return (read.Buffer.ToArray(), null);
        }
        catch (InvalidDataException)
        {
            return ([], StatusCodes.Status400BadRequest);
        }
        catch (BadHttpRequestException exception)
        {
            return ([], exception.StatusCode); // The server's limit for compressed data.
        }
        finally
        {
            await reader.CompleteAsync();
        }
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
