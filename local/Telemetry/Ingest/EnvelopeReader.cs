using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>
/// Reads the items of one upload: JSON objects one after the other, with or without line breaks between them (the .NET SDKs), or one JSON
/// array (others). An item that is no JSON costs its own line and nothing else; inside an array nobody can tell where the next one begins.
/// </summary>
internal sealed class EnvelopeReader
{
    private readonly ReadOnlyMemory<byte> _body;
    private readonly int _maxBroken;
    private readonly bool _inArray;
    private int _position,
        _broken;

    /// <param name="maxBroken">Items that aren't JSON after which the reader gives up.</param>
    public EnvelopeReader(ReadOnlyMemory<byte> body, int maxBroken)
    {
        (_body, _maxBroken) = (body, maxBroken);
        if (body.Span.StartsWith(new byte[] { 0xEF, 0xBB, 0xBF }))
            _position = 3;
        SkipSpace();
        _inArray = _position < body.Length && body.Span[_position] == '[';
        if (_inArray)
            _position++;
    }

    /// <summary>Whether the rest of the body was skipped because too many items were broken.</summary>
    public bool HasGivenUp => _broken >= _maxBroken;

    /// <summary>Reads the next item into <paramref name="envelope"/>; false at the end.</summary>
    /// <param name="error">What is wrong with the item; null when it could be read.</param>
    public bool Next(Envelope envelope, out string? error)
    {
        error = null;
        if (!AtItem())
            return false;
        envelope.Clear();
        envelope.Body = _body;
        var start = _position;
        if (_body.Span[start] != '{')
        {
            (error, _position) = ("not a telemetry item: a JSON object was expected.", AfterLine(start));
            return true;
        }
        try
        {
            _position += Read(_body.Span[start..], start, envelope);
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            error = $"not a telemetry item: {exception.Message}";
            _position = AfterLine(start);
            if (++_broken == _maxBroken && _position < _body.Length)
            {
                error = $"{_maxBroken} items are broken; the rest of the upload was not read.";
                _position = _body.Length;
            }
        }
        envelope.Raw = start.._position;
        return true;
    }

    private bool AtItem()
    {
        SkipSpace();
        if (_inArray && _position < _body.Length && _body.Span[_position] == ',')
            _position++;
        SkipSpace();
        return _position < _body.Length && !(_inArray && _body.Span[_position] == ']');
    }

    private void SkipSpace()
    {
        var span = _body.Span;
        while (_position < span.Length && span[_position] is (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n')
            _position++;
    }

    private int AfterLine(int start)
    {
        if (_inArray)
            return _body.Length;
        var lineEnd = _body.Span[start..].IndexOf((byte)'\n');
        return lineEnd < 0 ? _body.Length : start + lineEnd + 1;
    }

    private static int Read(ReadOnlySpan<byte> text, int offset, Envelope envelope)
    {
        var reader = new Utf8JsonReader(text);
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            if (reader.ValueTextEquals("tags"u8))
                ReadFields(ref reader, offset, envelope, FieldNames.Tags);
            else if (reader.ValueTextEquals("data"u8))
                ReadData(ref reader, offset, envelope);
            else
                ReadField(ref reader, offset, envelope, FieldNames.Envelope);
        }
        return (int)reader.BytesConsumed;
    }

    private static void ReadData(ref Utf8JsonReader reader, int offset, Envelope envelope)
    {
        if (!EnterObject(ref reader))
            return;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            if (reader.ValueTextEquals("baseData"u8))
                ReadFields(ref reader, offset, envelope, FieldNames.BaseData);
            else if (reader.ValueTextEquals("baseType"u8))
                ReadValue(ref reader, offset, envelope, EnvelopeField.BaseType);
            else
                SkipValue(ref reader);
        }
    }

    private static void ReadFields(ref Utf8JsonReader reader, int offset, Envelope envelope, FieldNames names)
    {
        if (!EnterObject(ref reader))
            return;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            ReadField(ref reader, offset, envelope, names);
    }

    private static void ReadField(ref Utf8JsonReader reader, int offset, Envelope envelope, FieldNames names)
    {
        var field = names.Find(reader.ValueSpan);
        if (field == EnvelopeField.None)
            SkipValue(ref reader);
        else
            ReadValue(ref reader, offset, envelope, field);
    }

    private static void ReadValue(ref Utf8JsonReader reader, int offset, Envelope envelope, EnvelopeField field)
    {
        reader.Read();
        switch (reader.TokenType)
        {
            case JsonTokenType.Null:
                break;
            case JsonTokenType.String when field == EnvelopeField.Time:
                envelope.Time = reader.TryGetDateTimeOffset(out var time) ? time : null;
                break;
            case JsonTokenType.String when reader.ValueIsEscaped:
                envelope.SetUnescaped(field, reader.CopyString(envelope.Scratch(reader.ValueSpan.Length)));
                break;
            case JsonTokenType.String:
                envelope.Set(field, offset + (int)reader.TokenStartIndex + 1, reader.ValueSpan.Length);
                break;
            default:
                var start = offset + (int)reader.TokenStartIndex;
                reader.Skip();
                envelope.Set(field, start, offset + (int)reader.BytesConsumed - start);
                // Kept as it is and read by queries: what they could not read must not get in.
                if (envelope[field].Contains((byte)'\\') && !Dynamic.IsSound(envelope[field]))
                    throw new JsonException("a text has half of a surrogate pair.");
                break;
        }
    }

    private static bool EnterObject(ref Utf8JsonReader reader)
    {
        reader.Read();
        if (reader.TokenType == JsonTokenType.StartObject)
            return true;
        reader.Skip();
        return false;
    }

    private static void SkipValue(ref Utf8JsonReader reader)
    {
        reader.Read();
        reader.Skip();
    }
}
