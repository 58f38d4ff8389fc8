using System.Buffers;
using System.IO.Pipelines;
using DroneDelivery.Gateway.Routes;
using DroneDelivery.Gateway.Schemas;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace DroneDelivery.Gateway.Policies;

/// <summary>
/// Lets a body pass that is small enough, of the right type and what the schema describes. It is held in memory for that, in the buffers
/// that it was received in; the next step reads it from there.
/// </summary>
internal sealed class ValidateContent(Step next, ValidateContentOptions options, IngestionDocument document)
{
    private readonly string _contentType = options.ContentType;

    public Task HandleAsync(HttpContext context, string? subscriber)
    {
        if (context.Request.ContentLength > options.MaxBytes)
            return RefuseSizeAsync(context);
        return IsOfType(context.Request) ? CheckAsync(context, subscriber) : RefuseTypeAsync(context);
    }

    private async Task CheckAsync(HttpContext context, string? subscriber)
    {
        var schema = document.Find(options.Schema!);
        var body = await ReadAsync(context);
        if (body is null)
            await RefuseSizeAsync(context);
        else if (CheckAndGiveBack(schema, body.Value, context.Request.BodyReader) is { } mistake)
            await Refusal.AnswerAsync(context, mistake);
        else
            await next(context, subscriber);
    }

    // Examined, and not consumed: whoever reads next gets it again.
    private static Mistake? CheckAndGiveBack(Schema schema, ReadOnlySequence<byte> body, PipeReader reader)
    {
        try
        {
            return schema.Check(body);
        }
        finally
        {
            reader.AdvanceTo(body.Start, body.End);
        }
    }

    /// <returns>Null: it is too large.</returns>
    private async ValueTask<ReadOnlySequence<byte>?> ReadAsync(HttpContext context)
    {
        var reader = context.Request.BodyReader;
        while (true)
        {
            var read = await reader.ReadAsync(context.RequestAborted);
            if (read.Buffer.Length > options.MaxBytes)
            {
                reader.AdvanceTo(read.Buffer.End);
                return null;
            }
            if (read.IsCompleted)
                return read.Buffer;
            reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
        }
    }

    // A body in another encoding, or compressed, would mean one thing here and another there.
    private bool IsOfType(HttpRequest request)
    {
        if (request.Headers.ContentEncoding.Count > 0 || request.Headers.ContentType is not { Count: 1 } type)
            return false;
        if (string.Equals(type[0], _contentType, StringComparison.OrdinalIgnoreCase))
            return true;
        return MediaTypeHeaderValue.TryParse(type[0], out var parsed)
            && parsed.MediaType.Equals(_contentType, StringComparison.OrdinalIgnoreCase)
            && (!parsed.Charset.HasValue || IsUtf8(HeaderUtilities.RemoveQuotes(parsed.Charset)));
    }

    private static bool IsUtf8(StringSegment charset) => charset.Equals("utf-8", StringComparison.OrdinalIgnoreCase);

    private Task RefuseSizeAsync(HttpContext context) =>
        Refusal.AnswerAsync(context, StatusCodes.Status413PayloadTooLarge, $"A body has at most {options.MaxBytes} bytes here.");

    private Task RefuseTypeAsync(HttpContext context) =>
        Refusal.AnswerAsync(
            context, StatusCodes.Status415UnsupportedMediaType, $"A body is {_contentType} here, in UTF-8, and not compressed.");
}
