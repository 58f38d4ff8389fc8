namespace DroneDelivery.Lab.Tests.Support;

internal static class HostileTelemetry
{
    public const string Role = "\"><img src=x onerror=hacked=1>";

    public const string Name = "</script><script>hacked=1</script>";

    private const string Operation = "hostile'<i>";

    /// <summary>A failed request, a failed call below it, an exception and a log line, each with such a name.</summary>
    public static void AddTo(TelemetryStore store, DateTimeOffset time, string operation = Operation)
    {
        var request = new { id = "h1", name = Name, responseCode = "500'\"", success = false, duration = "00:00:01", url = Name };
        Add("RequestData", request, parent: null);
        Add("RemoteDependencyData", new
        {
            id = "h2",
            name = Name,
            type = "Http",
            target = Role,
            data = Name,
            resultCode = "<b>",
            success = false,
            duration = "00:00:00.5",
        }, "h1");
        Add("ExceptionData", new { exceptions = new[] { new { typeName = Role, message = Name } } }, "h2");
        Add("MessageData", new { message = $"${{{Name}}} ' onload='hacked=1" }, "h2");

        void Add(string type, object data, string? parent) =>
            SentItem.Add(store, time, type, data, operation, parent, Role, instance: Role);
    }
}
