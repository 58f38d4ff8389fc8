using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>How one kind of telemetry becomes a row: texts are copied by name, the rest is computed.</summary>
internal class RowMapping
{
    private static readonly (EnvelopeField Field, string Column)[] CommonTexts =
    [
        (EnvelopeField.OperationName, "operation_Name"),
        (EnvelopeField.OperationId, "operation_Id"),
        (EnvelopeField.OperationParentId, "operation_ParentId"),
        (EnvelopeField.SyntheticSource, "operation_SyntheticSource"),
        (EnvelopeField.SessionId, "session_Id"),
        (EnvelopeField.UserId, "user_Id"),
        (EnvelopeField.Version, "application_Version"),
        (EnvelopeField.Ip, "client_IP"),
        (EnvelopeField.Role, "cloud_RoleName"),
        (EnvelopeField.RoleInstance, "cloud_RoleInstance"),
        (EnvelopeField.InstrumentationKey, "iKey"),
        (EnvelopeField.SdkVersion, "sdkVersion"),
    ];

    private readonly (EnvelopeField Field, int Column)[] _texts;
    private readonly string _itemType;
    private readonly int _timestamp,
        _type,
        _dimensions,
        _measurements,
        _device,
        _count;

    public RowMapping(Table table, string itemType, params (EnvelopeField Field, string Column)[] texts)
    {
        Table = table;
        _itemType = itemType;
        _texts = [.. texts.Concat(CommonTexts).Select(text => (text.Field, ColumnOf(text.Column)))];
        (_timestamp, _type, _device) = (ColumnOf("timestamp"), ColumnOf("itemType"), ColumnOf("client_Type"));
        (_dimensions, _measurements) = (ColumnOf("customDimensions"), ColumnOf("customMeasurements"));
        _count = ColumnOf("itemCount");
    }

    protected Table Table { get; }

    /// <summary>Appends what the item says; an item may say nothing (a metric without data points).</summary>
    public virtual void Write(Envelope item)
    {
        try
        {
            WriteOwn(item); // first: what it refuses has put no text into the columns' pools
            WriteCommon(item);
            Table.EndRow();
        }
        catch
        {
            Table.DropRow(); // half a row would shift its columns against the others
            throw;
        }
    }

    protected virtual void WriteOwn(Envelope item) { }

    protected int ColumnOf(string name) =>
        Table.Schema.IndexOf(name) is >= 0 and var index
            ? index
            : throw new ArgumentException($"Table {Table.Schema.Name} has no column '{name}'.");

    protected void WriteCommon(Envelope item)
    {
        Table.Whole(_timestamp, item.Time!.Value.UtcTicks);
        Table.Text(_type, _itemType);
        foreach (var (field, column) in _texts)
        {
            if (item.Has(field))
                Table.Text(column, item[field]);
        }
        // 3.x senders leave the device out; the portal shows a browser or "PC".
        if (item.Has(EnvelopeField.DeviceType))
            Table.Text(_device, item[EnvelopeField.DeviceType]);
        else
            Table.Text(_device, "PC"u8);
        WriteBag(_dimensions, item[EnvelopeField.Properties]);
        WriteBag(_measurements, item[EnvelopeField.Measurements]);
        // What a sampled item stands for.
        Table.Whole(
            _count,
            item.Real(EnvelopeField.SampleRate) is > 0 and <= 100 and var rate ? (long)Math.Round(100 / rate) : 1
        );
    }

    /// <summary>What the elements of a JSON array say; nothing where it is none.</summary>
    protected static List<T> Read<T>(ReadOnlySpan<byte> json, Func<IEnumerable<JsonElement>, IEnumerable<T>> read)
    {
        if (json.IsEmpty)
            return [];
        var reader = new Utf8JsonReader(json);
        using var document = JsonDocument.ParseValue(ref reader);
        return document.RootElement.ValueKind == JsonValueKind.Array
            ? [.. read(document.RootElement.EnumerateArray())]
            : [];
    }

    private void WriteBag(int column, ReadOnlySpan<byte> json)
    {
        if (json.Contains((byte)'"'))
            Table.Text(column, json); // {} shows as null
    }
}

/// <summary>A row with outcome and duration: requests, dependencies, availability results.</summary>
internal sealed class TimedRowMapping : RowMapping
{
    private readonly int _success,
        _duration,
        _bucket;

    public TimedRowMapping(Table table, string itemType, params (EnvelopeField Field, string Column)[] texts)
        : base(table, itemType, texts) =>
        (_success, _duration, _bucket) = (ColumnOf("success"), ColumnOf("duration"), ColumnOf("performanceBucket"));

    protected override void WriteOwn(Envelope item)
    {
        Table.Truth(_success, item.Truth(EnvelopeField.Success) ?? true);
        if (item.Milliseconds(EnvelopeField.Duration) is not { } duration)
            return;
        Table.Real(_duration, duration);
        Table.Text(_bucket, Bucket(duration));
    }

    private static ReadOnlySpan<byte> Bucket(double milliseconds) =>
        milliseconds switch
        {
            < 250 => "<250ms"u8,
            < 500 => "250ms-500ms"u8,
            < 1_000 => "500ms-1sec"u8,
            < 3_000 => "1sec-3sec"u8,
            < 7_000 => "3sec-7sec"u8,
            < 15_000 => "7sec-15sec"u8,
            < 30_000 => "15sec-30sec"u8,
            < 60_000 => "30sec-1min"u8,
            < 120_000 => "1min-2min"u8,
            < 300_000 => "2min-5min"u8,
            _ => ">=5min"u8,
        };
}

internal sealed class TraceMapping(Table table) : RowMapping(table, "trace", (EnvelopeField.Message, "message"))
{
    private readonly int _severity = table.Schema.IndexOf("severityLevel");

    protected override void WriteOwn(Envelope item)
    {
        if (Severity.Level(item[EnvelopeField.SeverityLevel]) is { } level)
            Table.Whole(_severity, level);
    }
}

internal static class Severity
{
    /// <summary>0–4 from a name (2.x) or a number (others).</summary>
    public static long? Level(ReadOnlySpan<byte> text) =>
        text switch
        {
            [>= (byte)'0' and <= (byte)'4'] => text[0] - '0',
            _ when text.SequenceEqual("Verbose"u8) => 0,
            _ when text.SequenceEqual("Information"u8) => 1,
            _ when text.SequenceEqual("Warning"u8) => 2,
            _ when text.SequenceEqual("Error"u8) => 3,
            _ when text.SequenceEqual("Critical"u8) => 4,
            _ => null,
        };
}
