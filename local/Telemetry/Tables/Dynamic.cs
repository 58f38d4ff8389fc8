using System.Text;
using System.Text.Json;

namespace DroneDelivery.Telemetry.Tables;

/// <summary>A <c>dynamic</c> value: JSON that is parsed on access, without allocating memory.</summary>
public readonly struct Dynamic(ReadOnlyMemory<byte> json)
{
    private static readonly JsonReaderOptions ReaderOptions = new() { MaxDepth = 256 };
    private static readonly JsonSerializerOptions SerializerOptions = new() { MaxDepth = ReaderOptions.MaxDepth };

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

    public static Dynamic Parse(string text)
    {
        var trimmed = text.Trim(' ', '\t', '\r', '\n');
        return trimmed.Length == 0 ? default : FromLiteral(trimmed) ?? FromString(text);
    }

    public static Dynamic? FromLiteral(string text) =>
        Encoding.UTF8.GetBytes(text) is var bytes && IsValid(bytes) ? new(bytes) : null;

    /// <summary>Returns a property; JSON null if this isn't an object or has no such property.</summary>
    public Dynamic Member(string name)
    {
        if (Kind != JsonValueKind.Object)
            return default;
        var reader = new Utf8JsonReader(Json.Span, ReaderOptions);
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

    /// <summary>Returns an element of an array; negative positions count from the end.</summary>
    public Dynamic Element(long index)
    {
        var elements = Elements();
        if (index < 0)
            index += elements.Count;
        return index >= 0 && index < elements.Count ? elements[(int)index] : default;
    }

    public IReadOnlyList<Dynamic> Elements()
    {
        var elements = new List<Dynamic>();
        if (Kind != JsonValueKind.Array)
            return elements;
        var reader = new Utf8JsonReader(Json.Span, ReaderOptions);
        reader.Read();
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
            elements.Add(Slice(ref reader));
        return elements;
    }

    public long? ArrayLength() => Kind == JsonValueKind.Array ? Elements().Count : null;

    /// <summary>Returns a string without quotes, an empty string for null, or JSON for other values.</summary>
    public override string ToString()
    {
        if (IsNull)
            return "";
        if (Kind != JsonValueKind.String)
            return Encoding.UTF8.GetString(Json.Span);
        var reader = new Utf8JsonReader(Json.Span, ReaderOptions);
        reader.Read();
        // Strings with escapes were validated on ingestion. In others, invalid UTF-8 is escaped.
        return reader.ValueIsEscaped ? reader.GetString()! : Encoding.UTF8.GetString(reader.ValueSpan);
    }

    /// <summary>Returns JSON that is the same for equal values.</summary>
    public string Normalized()
    {
        var reader = new Utf8JsonReader(Json.Span, ReaderOptions);
        using var document = JsonDocument.ParseValue(ref reader);
        return JsonSerializer.Serialize(document.RootElement, SerializerOptions);
    }

    private Dynamic Slice(ref Utf8JsonReader reader)
    {
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        return new(Json[start..(int)reader.BytesConsumed]);
    }

    /// <summary>Determines whether JSON and its strings are valid: half a surrogate pair is valid JSON but not a valid
    /// string.</summary>
    internal static bool IsValid(ReadOnlySpan<byte> text)
    {
        var reader = new Utf8JsonReader(text, ReaderOptions);
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
