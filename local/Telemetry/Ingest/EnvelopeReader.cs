using System.Text.Json;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>Reads the items of an upload: JSON objects with optional line breaks, or a JSON array. An invalid object
/// affects only its line; after an invalid item of an array, the rest is skipped.</summary>
internal sealed class EnvelopeReader
{
    private readonly ReadOnlyMemory<byte> _body;
    private readonly int _maxBroken;
    private readonly bool _inArray;
    private int _position,
        _broken;

    /// <param name="maxBroken">The number of invalid items after which the rest is skipped.</param>
    public EnvelopeReader(ReadOnlyMemory<byte> body, int maxBroken)
    {
        _body = body;
        _maxBroken = maxBroken;
        if (body.Span.StartsWith(new byte[] { 0xEF, 0xBB, 0xBF }))
            _position = 3;
        SkipSpace();
        _inArray = _position < body.Length && body.Span[_position] == '[';
        if (_inArray)
            _position++;
    }

    public bool HasStopped => _broken >= _maxBroken;

    /// <param name="error">The error in the item; <c>null</c> if it's valid.</param>
    public bool Next(out JsonElement item, out string? error)
    {
        item = default;
        error = null;
        if (!AtItem())
            return false;
        if (_body.Span[_position] != '{')
        {
            error = "not a telemetry item: a JSON object was expected.";
            _position = AfterLine();
            return true;
        }
        try
        {
            var reader = new Utf8JsonReader(_body.Span[_position..]);
            item = JsonElement.ParseValue(ref reader);
            _position += (int)reader.BytesConsumed;
        }
        catch (JsonException exception)
        {
            error = $"not a telemetry item: {exception.Message}";
            _position = AfterLine();
            if (++_broken == _maxBroken && _position < _body.Length)
            {
                error = $"{_maxBroken} items are invalid; the rest of the upload was skipped.";
                _position = _body.Length;
            }
        }
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

    private void SkipSpace() => _position = _body.Length - _body[_position..].TrimStart(" \t\r\n"u8).Length;

    private int AfterLine()
    {
        var lineEnd = _inArray ? -1 : _body.Span[_position..].IndexOf((byte)'\n');
        return lineEnd < 0 ? _body.Length : _position + lineEnd + 1;
    }
}
