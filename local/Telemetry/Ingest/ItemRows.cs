using System.Globalization;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>A row with values by column name. Unset values are null.</summary>
internal sealed class Row(Table table)
{
    private readonly object?[] _values = new object?[table.Schema.Columns.Count];

    public object? this[string column]
    {
        set => _values[table.Schema.IndexOf(column)] = value;
    }

    public void Append() => table.Append(_values);
}

/// <summary>Converts telemetry items to rows.</summary>
internal sealed class ItemRows(IReadOnlyDictionary<string, Table> tables)
{
    private static readonly (string Tag, string Column)[] Tags =
    [
        ("ai.operation.name", "operation_Name"),
        ("ai.operation.id", "operation_Id"),
        ("ai.operation.parentId", "operation_ParentId"),
        ("ai.operation.syntheticSource", "operation_SyntheticSource"),
        ("ai.session.id", "session_Id"),
        ("ai.user.id", "user_Id"),
        ("ai.application.ver", "application_Version"),
        ("ai.location.ip", "client_IP"),
        ("ai.cloud.role", "cloud_RoleName"),
        ("ai.cloud.roleInstance", "cloud_RoleInstance"),
        ("ai.internal.sdkVersion", "sdkVersion"),
    ];

    /// <summary>Returns the rows of an item, possibly none; <c>null</c> if no table has its type.</summary>
    /// <exception cref="Exception">A JsonException or InvalidOperationException, if a part of the item has the wrong type.</exception>
    public List<Row>? Of(Envelope item) =>
        item.BaseType switch
        {
            "RequestData" => [Request(item)],
            "RemoteDependencyData" =>
            [
                Timed(item, "dependencies", "dependency", "id", "target", "type", "name", "data", "resultCode"),
            ],
            "AvailabilityData" => [Availability(item)],
            "MessageData" => [Trace(item)],
            "ExceptionData" => [Exception(item)],
            "EventData" => [Common(item, "customEvents", "customEvent", "name")],
            "MetricData" => [.. item.List("metrics").Select(point => Metric(item, point))],
            _ => null,
        };

    /// <param name="texts">The columns that are copied from properties of the same name.</param>
    private Row Common(Envelope item, string table, string itemType, params ReadOnlySpan<string> texts)
    {
        var device = item.Tag("ai.device.type");
        var row = new Row(tables[table])
        {
            ["timestamp"] = item.Time!.Value.UtcTicks,
            ["itemType"] = itemType,
            ["iKey"] = item.InstrumentationKey,
            ["itemCount"] = item.Count,
            // 3.x senders omit the device, for which the portal shows a browser or "PC".
            ["client_Type"] = device.Length > 0 ? device : "PC",
            ["customDimensions"] = item.Json("properties"),
            ["customMeasurements"] = item.Json("measurements"),
        };
        foreach (var (tag, column) in Tags)
            row[column] = item.Tag(tag);
        foreach (var text in texts)
            row[text] = item.Text(text);
        return row;
    }

    private Row Request(Envelope item)
    {
        var row = Timed(item, "requests", "request", "id", "source", "name", "url");
        row["resultCode"] = item.Text("responseCode");
        return row;
    }

    private Row Availability(Envelope item)
    {
        var row = Timed(item, "availabilityResults", "availabilityResult", "id", "name", "message");
        row["location"] = item.Text("runLocation");
        return row;
    }

    private Row Timed(Envelope item, string table, string itemType, params ReadOnlySpan<string> texts)
    {
        var row = Common(item, table, itemType, texts);
        row["success"] = !bool.TryParse(item.Text("success"), out var success) || success;
        if (!TimeSpan.TryParseExact(item.Text("duration"), "c", CultureInfo.InvariantCulture, out var duration))
            return row;
        row["duration"] = duration.TotalMilliseconds;
        row["performanceBucket"] = Bucket(duration.TotalMilliseconds);
        return row;
    }

    private static string Bucket(double milliseconds) =>
        milliseconds switch
        {
            < 250 => "<250ms",
            < 500 => "250ms-500ms",
            < 1_000 => "500ms-1sec",
            < 3_000 => "1sec-3sec",
            < 7_000 => "3sec-7sec",
            < 15_000 => "7sec-15sec",
            < 30_000 => "15sec-30sec",
            < 60_000 => "30sec-1min",
            < 120_000 => "1min-2min",
            < 300_000 => "2min-5min",
            _ => ">=5min",
        };

    private Row Trace(Envelope item)
    {
        var row = Common(item, "traces", "trace", "message");
        row["severityLevel"] = Severity(item);
        return row;
    }

    /// <summary>Returns 0 to 4 from a name (2.x) or a number (others).</summary>
    private static long? Severity(Envelope item) =>
        item.Text("severityLevel") switch
        {
            "0" or "Verbose" => 0,
            "1" or "Information" => 1,
            "2" or "Warning" => 2,
            "3" or "Error" => 3,
            "4" or "Critical" => 4,
            _ => null,
        };

    /// <summary>An exception item contains its chain from the outermost to the innermost exception, each with its stack.</summary>
    private Row Exception(Envelope item)
    {
        var row = Common(item, "exceptions", "exception", "problemId");
        row["severityLevel"] = Severity(item);
        var chain = item.List("exceptions").ToList();
        if (chain.Count == 0)
            return row;
        row["details"] = item.Json("exceptions");
        SetException(row, chain[0], "type", "message", "assembly", "method");
        SetException(row, chain[0], "outerType", "outerMessage", "outerAssembly", "outerMethod");
        SetException(row, chain[^1], "innermostType", "innermostMessage", "innermostAssembly", "innermostMethod");
        var type = StringOf(chain[0], "typeName");
        var method = StringOf(FrameOf(chain[0]), "method");
        if (item.Text("problemId").Length == 0)
            row["problemId"] = method.Length == 0 ? type : $"{type} at {method}";
        return row;
    }

    private static void SetException(
        Row row,
        JsonElement exception,
        string type,
        string message,
        string assembly,
        string method
    )
    {
        var frame = FrameOf(exception);
        row[type] = StringOf(exception, "typeName");
        row[message] = StringOf(exception, "message");
        row[assembly] = StringOf(frame, "assembly");
        row[method] = StringOf(frame, "method");
    }

    private static JsonElement FrameOf(JsonElement exception) =>
        Envelope.Member(exception, "parsedStack") is { ValueKind: JsonValueKind.Array } stack
            ? stack.EnumerateArray().FirstOrDefault()
            : default;

    private static string StringOf(JsonElement parent, string name) =>
        Envelope.Member(parent, name) is { ValueKind: JsonValueKind.String } text ? text.GetString()! : "";

    /// <summary>Metrics whose name is a Windows counter path are performance counters.</summary>
    private Row Metric(Envelope item, JsonElement point)
    {
        var name = StringOf(point, "name");
        return name.StartsWith('\\') ? Counter(item, point, name) : CustomMetric(item, point, name);
    }

    private Row CustomMetric(Envelope item, JsonElement point, string name)
    {
        var row = Common(item, "customMetrics", "customMetric");
        var value = Number(point, "value") ?? 0;
        row["name"] = name;
        row["value"] = value;
        row["valueSum"] = value;
        row["valueCount"] = (long)(Number(point, "count") ?? 1);
        row["valueMin"] = Number(point, "min") ?? value;
        row["valueMax"] = Number(point, "max") ?? value;
        row["valueStdDev"] = Number(point, "stdDev") ?? 0;
        return row;
    }

    /// <summary>Parses <c>\Category(instance)\Counter</c>.</summary>
    private Row Counter(Envelope item, JsonElement point, string path)
    {
        var split = path.IndexOf('\\', 1);
        var (category, counter) = split < 0 ? (path[1..], "") : (path[1..split], path[(split + 1)..]);
        var open = category.IndexOf('(');
        var row = Common(item, "performanceCounters", "performanceCounter");
        row["name"] = counter;
        row["value"] = Number(point, "value") ?? 0;
        row["category"] = open < 0 ? category : category[..open];
        row["counter"] = counter;
        row["instance"] = open < 0 ? "" : category[(open + 1)..].TrimEnd(')');
        return row;
    }

    // NaN and infinity are strings.
    private static double? Number(JsonElement point, string name) =>
        double.TryParse(
            Envelope.Text(Envelope.Member(point, name)),
            NumberStyles.Float,
            CultureInfo.InvariantCulture,
            out var number
        )
            ? number
            : null;
}
