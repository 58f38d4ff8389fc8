using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>One item of telemetry, as the SDKs send it: tags, and in <c>data.baseData</c> what its type has.</summary>
internal sealed class Envelope(JsonElement root)
{
    private readonly JsonElement _tags = Member(root, "tags");
    private readonly JsonElement _data = Member(Member(root, "data"), "baseData");

    /// <summary>Null where it is missing or is not ISO 8601.</summary>
    public DateTimeOffset? Time { get; } =
        Member(root, "time") is { ValueKind: JsonValueKind.String } text && text.TryGetDateTimeOffset(out var time)
            ? time
            : null;

    public string BaseType { get; } = Text(Member(Member(root, "data"), "baseType"));

    public string InstrumentationKey => Text(Member(root, "iKey"));

    /// <summary>How many items it stands for where others were left out.</summary>
    public long Count =>
        double.TryParse(Text(Member(root, "sampleRate")), CultureInfo.InvariantCulture, out var rate)
        && rate is > 0 and <= 100
            ? (long)Math.Round(100 / rate)
            : 1;

    public string Tag(string name) => Text(Member(_tags, name));

    public JsonElement Data(string name) => Member(_data, name);

    /// <summary>A property of the data as text; empty where there is none.</summary>
    public string Text(string name) => Text(Data(name));

    /// <summary>The objects of a list; none where there is no list.</summary>
    /// <exception cref="InvalidOperationException">There is something else.</exception>
    public IEnumerable<JsonElement> List(string name) =>
        Data(name) is { ValueKind: not (JsonValueKind.Undefined or JsonValueKind.Null) } list
            ? list.EnumerateArray().Where(each => each.ValueKind == JsonValueKind.Object)
            : [];

    /// <summary>The JSON of a property that queries look into: null where it has no text.</summary>
    /// <exception cref="JsonException">They could not read it.</exception>
    public string? Json(string name)
    {
        var value = Data(name);
        if (value.ValueKind is not (JsonValueKind.Object or JsonValueKind.Array))
            return null;
        var json = JsonMarshal.GetRawUtf8Value(value);
        if (json.Contains((byte)'\\') && !Dynamic.IsSound(json))
            throw new JsonException("a text has half of a surrogate pair.");
        return json.Contains((byte)'"') ? Encoding.UTF8.GetString(json) : null;
    }

    public static JsonElement Member(JsonElement parent, string name) =>
        parent.ValueKind == JsonValueKind.Object && parent.TryGetProperty(name, out var member) ? member : default;

    /// <summary>A text as it is, all else as its JSON. Bytes that are not UTF-8 are shown as such.</summary>
    public static string Text(JsonElement value)
    {
        if (value.ValueKind is JsonValueKind.Undefined or JsonValueKind.Null)
            return "";
        var json = JsonMarshal.GetRawUtf8Value(value);
        if (value.ValueKind != JsonValueKind.String)
            return Encoding.UTF8.GetString(json);
        return json.Contains((byte)'\\') ? value.GetString()! : Encoding.UTF8.GetString(json[1..^1]);
    }

    /// <summary>Whether it reports the upload itself, as some senders do: telemetry about sending telemetry.</summary>
    /// <param name="collector">Host and port, as in the upload's Host header: the sender took both from the same URL.</param>
    public bool IsCallTo(string? collector) =>
        BaseType == "RemoteDependencyData"
        && Text("type").StartsWith("Http", StringComparison.Ordinal)
        && Text("target").Equals(collector, StringComparison.OrdinalIgnoreCase);
}
