using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>One item of telemetry as slices of the body that it came in. Reused from item to item: reading one allocates nothing.</summary>
internal sealed class Envelope
{
    private readonly Slice[] _fields = new Slice[Enum.GetValues<EnvelopeField>().Length];
    private byte[] _unescaped = new byte[1024];
    private int _unescapedLength;

    /// <summary>The text that the slices point into.</summary>
    public ReadOnlyMemory<byte> Body { get; set; }

    public DateTimeOffset? Time { get; set; }

    /// <summary>The envelope itself, from its first to its last brace.</summary>
    public Range Raw { get; set; }

    public void Clear()
    {
        Array.Clear(_fields);
        _unescapedLength = 0;
        Time = null;
    }

    public void Set(EnvelopeField field, int start, int length) =>
        _fields[(int)field] = new(start, length, InBody: true);

    /// <summary>Room for a string that has escapes, of at most this length; <see cref="SetUnescaped"/> says how much was used.</summary>
    public Span<byte> Scratch(int length)
    {
        if (_unescapedLength + length > _unescaped.Length)
            Array.Resize(ref _unescaped, Math.Max(_unescapedLength + length, _unescaped.Length * 2));
        return _unescaped.AsSpan(_unescapedLength);
    }

    public void SetUnescaped(EnvelopeField field, int length)
    {
        _fields[(int)field] = new(_unescapedLength, length, InBody: false);
        _unescapedLength += length;
    }

    public bool Has(EnvelopeField field) => _fields[(int)field].Length > 0;

    public ReadOnlySpan<byte> this[EnvelopeField field] =>
        _fields[(int)field] is var slice && slice.InBody
            ? Body.Span.Slice(slice.Start, slice.Length)
            : _unescaped.AsSpan(slice.Start, slice.Length);

    public string Text(EnvelopeField field) => Encoding.UTF8.GetString(this[field]);

    public bool? Truth(EnvelopeField field) => Utf8Parser.TryParse(this[field], out bool value, out _) ? value : null;

    public double? Real(EnvelopeField field) =>
        double.TryParse(this[field], NumberStyles.Float, CultureInfo.InvariantCulture, out var value) ? value : null;

    /// <summary><c>[d.]hh:mm:ss[.fffffff]</c> in milliseconds.</summary>
    public double? Milliseconds(EnvelopeField field) =>
        Utf8Parser.TryParse(this[field], out TimeSpan value, out _, 'c') ? value.TotalMilliseconds : null;

    private readonly record struct Slice(int Start, int Length, bool InBody);
}
