using System.Text;
using System.Text.Json;

namespace DroneDelivery.Telemetry.Tables;

/// <summary>
/// A value of type <c>dynamic</c>: JSON text that is looked at when somebody asks. A member is a slice of the same bytes, so reading one
/// property of a million rows parses no document and allocates nothing.
/// </summary>
public readonly struct Dynamic(ReadOnlyMemory<byte> json)
{
    private static readonly JsonReaderOptions Lenient = new() { MaxDepth = 256 };
    private static readonly JsonSerializerOptions Deep = new() { MaxDepth = Lenient.MaxDepth };

    /// <summary>UTF-8 JSON; empty means null.</summary>
    public ReadOnlyMemory<byte> Json { get; } = json;

    public bool IsNull => Json.IsEmpty || Json.Span.SequenceEqual("null"u8);

    public JsonValueKind Kind =>
        Json.IsEmpty
            ? JsonValueKind.Null
            : Json.Span[0] switch
            {
                (byte)'{' => JsonValueKind.Object,
                (byte)'[' => JsonValueKind.Array,
                (byte)'"' => JsonValueKind.String,
                (byte)'t' => JsonValueKind.True,
                (byte)'f' => JsonValueKind.False,
                (byte)'n' => JsonValueKind.Null,
                _ => JsonValueKind.Number,
            };

    public static Dynamic FromString(string text) => new(JsonSerializer.SerializeToUtf8Bytes(text));

    /// <summary>Valid JSON becomes itself, any other text a JSON string, as parse_json does it.</summary>
    public static Dynamic Parse(string text)
    {
        var trimmed = text.Trim(' ', '\t', '\r', '\n');
        return trimmed.Length == 0 ? default : FromLiteral(trimmed) ?? FromString(text);
    }

    /// <summary>Null when the text is no JSON.</summary>
    public static Dynamic? FromLiteral(string text) =>
        Encoding.UTF8.GetBytes(text) is var bytes && IsSound(bytes) ? new(bytes) : null;

    /// <summary>The member of an object; null when this is no object or has no such member.</summary>
    public Dynamic Member(string name)
    {
        if (Kind != JsonValueKind.Object)
            return default;
        var reader = new Utf8JsonReader(Json.Span, Lenient);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var found = reader.ValueTextEquals(name);
            reader.Read();
            var value = Slice(ref reader);
            if (found)
                return value;
        }
        return default;
    }

    /// <summary>The element of an array; negative positions count from the end.</summary>
    public Dynamic Element(long index)
    {
        var elements = Elements();
        if (index < 0)
            index += elements.Count;
        return index >= 0 && index < elements.Count ? elements[(int)index] : default;
    }

    /// <summary>All elements of an array; none when this is none.</summary>
    public IReadOnlyList<Dynamic> Elements()
    {
        var elements = new List<Dynamic>();
        if (Kind != JsonValueKind.Array)
            return elements;
        var reader = new Utf8JsonReader(Json.Span, Lenient);
        reader.Read();
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
            elements.Add(Slice(ref reader));
        return elements;
    }

    public long? ArrayLength() => Kind == JsonValueKind.Array ? Elements().Count : null;

    /// <summary>A JSON string without its quotes, null as nothing, all else as its JSON text.</summary>
    public override string ToString()
    {
        if (IsNull)
            return "";
        if (Kind != JsonValueKind.String)
            return Encoding.UTF8.GetString(Json.Span);
        var reader = new Utf8JsonReader(Json.Span, Lenient);
        reader.Read();
        // A text with escapes was looked at when it came in; of any other, bytes that are not UTF-8 are shown as such.
        return reader.ValueIsEscaped ? reader.GetString()! : Encoding.UTF8.GetString(reader.ValueSpan);
    }

    /// <summary>JSON text that is the same for equal values, however they were written.</summary>
    public string Normalized()
    {
        var reader = new Utf8JsonReader(Json.Span, Lenient);
        using var document = JsonDocument.ParseValue(ref reader);
        return JsonSerializer.Serialize(document.RootElement, Deep);
    }

    private Dynamic Slice(ref Utf8JsonReader reader)
    {
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        return new(Json[start..(int)reader.BytesConsumed]);
    }

    /// <summary>Whether the text is JSON whose strings can all be read: half of a surrogate pair passes as JSON but is no text.</summary>
    internal static bool IsSound(ReadOnlySpan<byte> text)
    {
        var reader = new Utf8JsonReader(text, Lenient);
        try
        {
            while (reader.Read())
            {
                if (reader.TokenType is JsonTokenType.String or JsonTokenType.PropertyName && reader.ValueIsEscaped)
                    reader.GetString();
            }
            return true;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            return false;
        }
    }
}
