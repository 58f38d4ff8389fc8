namespace DroneDelivery.Lab.Tests.Support;

internal static class HostileTelemetry
{
    public const string Role = "\"><img src=x onerror=hacked=1>";

    public const string Name = "</script><script>hacked=1</script>";

    public static void AddTo(TelemetryStore store, DateTimeOffset time, string operation = "hostile'<i>")
    {
        Add(
            "RequestData",
            SentItem.Step("", "h1", Name, 1, target: "", code: "500'\"", success: false, url: Name),
            parent: null
        );
        Add(
            "RemoteDependencyData",
            SentItem.Step("Http", "h2", Name, 0.5, target: Role, code: "<b>", success: false),
            "h1"
        );
        Add("ExceptionData", new { exceptions = new[] { new { typeName = Role, message = Name } } }, "h2");
        Add("MessageData", new { message = $"${{{Name}}} ' onload='hacked=1" }, "h2");

        void Add(string type, object data, string? parent) =>
            SentItem.Add(store, time, type, data, operation, parent, Role, instance: Role);
    }
}
