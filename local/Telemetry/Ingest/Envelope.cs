using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>A telemetry item as sent by the SDKs: tags, and data in <c>data.baseData</c>.</summary>
internal sealed class Envelope(JsonElement root)
{
    private readonly JsonElement _tags = Member(root, "tags");
    private readonly JsonElement _data = Member(Member(root, "data"), "baseData");

    /// <summary><c>null</c> if the time is missing or isn't ISO 8601.</summary>
    public DateTimeOffset? Time { get; } =
        Member(root, "time") is { ValueKind: JsonValueKind.String } text && text.TryGetDateTimeOffset(out var time)
            ? time
            : null;

    public string BaseType { get; } = Text(Member(Member(root, "data"), "baseType"));

    public string InstrumentationKey => Text(Member(root, "iKey"));

    /// <summary>The number of items that the item represents after sampling.</summary>
    public long Count =>
        double.TryParse(Text(Member(root, "sampleRate")), CultureInfo.InvariantCulture, out var rate)
        && rate is > 0 and <= 100
            ? (long)Math.Round(100 / rate)
            : 1;

    public string Tag(string name) => Text(Member(_tags, name));

    public JsonElement Data(string name) => Member(_data, name);

    public string Text(string name) => Text(Data(name));

    /// <summary>Returns the objects of a list; empty if missing.</summary>
    public IEnumerable<JsonElement> List(string name) =>
        Data(name) is { ValueKind: not (JsonValueKind.Undefined or JsonValueKind.Null) } list
            ? list.EnumerateArray().Where(each => each.ValueKind == JsonValueKind.Object)
            : [];

    public string? Json(string name)
    {
        var value = Data(name);
        if (value.ValueKind is not (JsonValueKind.Object or JsonValueKind.Array))
            return null;
        var json = JsonMarshal.GetRawUtf8Value(value);
        if (json.Contains((byte)'\\') && !Dynamic.IsValid(json))
            throw new JsonException("a string contains half of a surrogate pair.");
        return json.Contains((byte)'"') ? Encoding.UTF8.GetString(json) : null;
    }

    public static JsonElement Member(JsonElement parent, string name) =>
        parent.ValueKind == JsonValueKind.Object && parent.TryGetProperty(name, out var member) ? member : default;

    /// <summary>Returns a string, or the JSON of any other value. Bytes that aren't UTF-8 are escaped.</summary>
    public static string Text(JsonElement value)
    {
        if (value.ValueKind is JsonValueKind.Undefined or JsonValueKind.Null)
            return "";
        var json = JsonMarshal.GetRawUtf8Value(value);
        if (value.ValueKind != JsonValueKind.String)
            return Encoding.UTF8.GetString(json);
        return json.Contains((byte)'\\') ? value.GetString()! : Encoding.UTF8.GetString(json[1..^1]);
    }

    public bool IsCallTo(string? collector) =>
        BaseType == "RemoteDependencyData"
        && Text("type").StartsWith("Http", StringComparison.Ordinal)
        && Text("target").Equals(collector, StringComparison.OrdinalIgnoreCase);
}
