using System.Text;
using System.Text.Json;
using DroneDelivery.Telemetry.Ingest;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>What a service might send whose names were chosen by somebody who wants to run script on the pages.</summary>
internal static class HostileTelemetry
{
    public const string Role = "\"><img src=x onerror=hacked=1>";

    public const string Name = "</script><script>hacked=1</script>";

    private const string Operation = "hostile'<i>";

    /// <summary>The page that shows it must not have set this.</summary>
    public const string Variable = "hacked";

    /// <summary>A failed request, a failed call below it, an exception and a log line, each with such a name.</summary>
    public static void AddTo(TelemetryStore store, DateTimeOffset time, string operation = Operation)
    {
        var request = new { id = "h1", name = Name, responseCode = "500'\"", success = false, duration = "00:00:01", url = Name };
        Item(store, operation, "RequestData", time, parent: null, request);
        Item(store, operation, "RemoteDependencyData", time, "h1", new
        {
            id = "h2",
            name = Name,
            type = "Http",
            target = Role,
            data = Name,
            resultCode = "<b>",
            success = false,
            duration = "00:00:00.5",
        });
        Item(store, operation, "ExceptionData", time, "h2", new { exceptions = new[] { new { typeName = Role, message = Name } } });
        Item(store, operation, "MessageData", time, "h2", new { message = $"${{{Name}}} ' onload='hacked=1" });
    }

    private static void Item(TelemetryStore store, string operation, string type, DateTimeOffset time, string? parent, object data)
    {
        var line = JsonSerializer.Serialize(new
        {
            time,
            iKey = "k",
            tags = new Dictionary<string, string?>
            {
                ["ai.cloud.role"] = Role,
                ["ai.cloud.roleInstance"] = Role,
                ["ai.operation.id"] = operation,
                ["ai.operation.parentId"] = parent,
            },
            data = new { baseType = type, baseData = data },
        });
        Assert.Empty(store.Ingest(Encoding.UTF8.GetBytes(line)).Errors);
    }
}
