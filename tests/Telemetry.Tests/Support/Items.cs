using System.Globalization;
using System.Text;

namespace DroneDelivery.Telemetry.Tests.Support;

internal static class Items
{
    public static readonly DateTimeOffset Noon = new(2030, 1, 1, 12, 0, 0, TimeSpan.Zero);

    public static string Dependency(
        string name = "GET",
        string key = "k",
        DateTimeOffset? time = null,
        string target = "package",
        string type = "Http",
        string? more = null
    )
    {
        var at = (time ?? Noon).UtcDateTime.ToString("O", CultureInfo.InvariantCulture);
        return $$$"""{"name":"x","time":"{{{at}}}","iKey":"{{{key}}}",{{{more}}}"tags":{"ai.cloud.role":"workflow"},"data":"""
            + """{"baseType":"RemoteDependencyData","baseData":"""
            + $$$"""{"name":{{{JsonSerializer.Serialize(name)}}},"id":"01","duration":"00:00:00.0100000","success":"""
            + $$$"""true,"type":"{{{type}}}","target":"{{{target}}}"} } }""";
    }

    public static string Exception(string message, string operation) =>
        """{"name":"x","time":"2030-01-01T12:00:00Z","iKey":"k","tags":"""
        + $$$"""{"ai.operation.id":"{{{operation}}}"},"data":{"baseType":"ExceptionData","baseData":"""
        + $$$"""{"exceptions":[{"typeName":"E","message":"{{{message}}}"}]} } }""";

    public static ReadOnlyMemory<byte> Body(params string[] lines) =>
        Encoding.UTF8.GetBytes(string.Join("\r\n", lines));
}
