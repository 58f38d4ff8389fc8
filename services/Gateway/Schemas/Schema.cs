using System.Buffers;
using System.Text.Json;

namespace DroneDelivery.Gateway.Schemas;

/// <summary>
/// What a value has to be: a JSON schema, ready to be held against a body in one pass over its bytes. The reader is that of the services,
/// so a body means the same here and there.
/// </summary>
/// <remarks>It is filled after it was made, because a schema may contain itself.</remarks>
internal sealed class Schema
{
    public JsonTypes Types { get; set; } = JsonTypes.Any;

    public ObjectRules? Members { get; set; }

    public TextRules? Text { get; set; }

    public NumberRules? Number { get; set; }

    public ArrayRules? Elements { get; set; }

    /// <summary>A value has to match one of them, beside the rules above.</summary>
    public Alternatives? Alternatives { get; set; }

    /// <returns>Null: the body is right.</returns>
    public Mistake? Check(ReadOnlySequence<byte> body)
    {
        if (body.IsEmpty)
            return Mistake.Of("A JSON body is required.");
        try
        {
            var reader = body.IsSingleSegment ? new Utf8JsonReader(body.FirstSpan) : new Utf8JsonReader(body);
            reader.Read();
            var mistake = Check(ref reader);
            return mistake is null && reader.Read() ? Mistake.Of("More than one value.") : mistake;
        }
        catch (JsonException exception)
        {
            return Mistake.Of($"Not JSON. {exception.Message}");
        }
        catch (InvalidOperationException)
        {
            return Mistake.Of("A text is not valid Unicode."); // as the reader puts it
        }
    }

    /// <param name="reader">At the value's first token; in the end at its last one, if nothing is wrong.</param>
    public Mistake? Check(ref Utf8JsonReader reader)
    {
        if ((Types & JsonTypes.Of(reader.TokenType)) == 0)
            return Mistake.Of($"Must be {Types.Describe()}.");
        return Alternatives?.Check(reader) ?? CheckRules(ref reader);
    }

    private Mistake? CheckRules(ref Utf8JsonReader reader) => reader.TokenType switch
    {
        JsonTokenType.StartObject => (Members ?? ObjectRules.None).Check(ref reader),
        JsonTokenType.StartArray => (Elements ?? ArrayRules.None).Check(ref reader),
        JsonTokenType.String => (Text ?? TextRules.None).Check(ref reader),
        JsonTokenType.Number => Number?.Check(ref reader),
        _ => null,
    };
}
