using System.Globalization;

namespace DroneDelivery.Lab.Tests.Support;

internal static class SentItem
{
    public static void Add(
        TelemetryStore store,
        DateTimeOffset time,
        string type,
        object data,
        string operation,
        string? parent = null,
        string role = "workflow",
        string? instance = null
    ) =>
        Assert.Empty(
            store
                .Ingest(Encoding.UTF8.GetBytes(Of(time, type, data, operation, parent, role, instance ?? $"{role}-0")))
                .Errors
        );

    public static string Of(
        DateTimeOffset time,
        string type,
        object data,
        string operation,
        string? parent,
        string role,
        string instance,
        string key = "k"
    )
    {
        var tags = new Dictionary<string, string?>
        {
            ["ai.cloud.role"] = role,
            ["ai.cloud.roleInstance"] = instance,
            ["ai.operation.id"] = operation,
            ["ai.operation.parentId"] = parent,
        };
        return JsonSerializer.Serialize(
            new
            {
                time,
                iKey = key,
                tags,
                data = new { baseType = type, baseData = data },
            }
        );
    }

    /// <summary>Adds a request, or with a target, a call to another service or to the Service Bus.</summary>
    public static void AddStep(
        TelemetryStore store,
        DateTimeOffset time,
        string operation,
        string id,
        string name,
        double seconds = 0.01,
        string target = "",
        string code = "200",
        bool success = true,
        string? parent = null,
        string role = "workflow",
        string url = "",
        string source = "",
        double? waited = null,
        string? error = null
    ) =>
        Add(
            store,
            time,
            target.Length == 0 ? "RequestData" : "RemoteDependencyData",
            Step(
                target.StartsWith("localhost/", StringComparison.Ordinal) ? "servicebus" : "Http",
                id,
                name,
                seconds,
                target,
                code,
                success,
                url,
                source,
                waited,
                error
            ),
            operation,
            parent,
            role
        );

    private static Dictionary<string, string> PropertiesOf(double? waited, string? error)
    {
        var properties = new Dictionary<string, string>();
        if (waited is not null)
            properties["timeSinceEnqueued"] = (1000 * waited.Value).ToString(CultureInfo.InvariantCulture);
        if (error is not null)
            properties["error.message"] = error;
        return properties;
    }

    public static object Step(
        string type,
        string id,
        string name,
        double seconds,
        string target,
        string code,
        bool success,
        string url = "",
        string source = "",
        double? waited = null,
        string? error = null
    ) =>
        new
        {
            id,
            name,
            target,
            url,
            source,
            type,
            data = $"http://{target}/",
            responseCode = code,
            resultCode = code,
            success,
            duration = TimeSpan.FromSeconds(seconds).ToString("c", CultureInfo.InvariantCulture),
            properties = PropertiesOf(waited, error),
        };
}
